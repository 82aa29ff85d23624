"""Loops over the bytes of a published CSV."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel

_COMMA, _LINE_FEED, _RETURN, _QUOTE = 44, 10, 13, 34
_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_COMMAS, _FEEDS = np.uint64(_COMMA) * _ONES, np.uint64(_LINE_FEED) * _ONES
_RETURNS, _QUOTES = np.uint64(_RETURN) * _ONES, np.uint64(_QUOTE) * _ONES


@kernel(inline=True)
def _find_zeros(word):
    """Set the highest bit of bytes that are zero; the lowest bit that is set is right, those above it may not be."""
    return (word - _ONES) & ~word & _HIGH


@kernel(inline=True)
def _count_bytes_below(marks):
    """Return in which of eight bytes the lowest bit that is set lies."""
    lowest = marks & (~marks + np.uint64(1))
    return np.int64((((lowest - np.uint64(1)) & _ONES) * _ONES) >> np.uint64(56)) - 1


@kernel(inline=True)
def _pass_quoted_field(content, words, place):
    """Return the place behind a field that begins with a quote; -1 if it does not end, or needs no quotes."""
    size = content.size
    place += 1
    start, needs_quotes = place, False
    while True:
        while place < size:
            if place < words.size:
                word = words[place]
                marks = _find_zeros(word ^ _QUOTES)
                if not needs_quotes:
                    marks |= _find_zeros(word ^ _COMMAS)
                    marks |= _find_zeros(word ^ _FEEDS) | _find_zeros(word ^ _RETURNS)
                if marks == 0:
                    place += 8
                    continue
                place += _count_bytes_below(marks)
            byte = content[place]
            if byte == _QUOTE:
                break
            needs_quotes |= (byte == _COMMA) | (byte == _LINE_FEED) | (byte == _RETURN)
            place += 1
        if place >= size:
            return -1
        if place + 1 >= size or content[place + 1] != _QUOTE:
            break
        needs_quotes = True
        place += 2
    return place + 1 if needs_quotes or place == start else -1


@kernel(inline=True)
def _pass_plain_field(content, words, place):
    """Return the place behind a field without quotes; -1 if there is a quote in it."""
    size = content.size
    while place < size:
        if place < words.size:
            word = words[place]
            marks = _find_zeros(word ^ _QUOTES) | _find_zeros(word ^ _COMMAS)
            marks |= _find_zeros(word ^ _FEEDS) | _find_zeros(word ^ _RETURNS)
            if marks == 0:
                place += 8
                continue
            place += _count_bytes_below(marks)
        byte = content[place]
        if byte == _QUOTE:
            return -1
        if (byte == _COMMA) | (byte == _LINE_FEED) | (byte == _RETURN):
            break
        place += 1
    return place


@kernel
def _pass_field(content, words, place, is_last, has_returns):
    """Return the place behind a field and its comma or line end; -1 if it is not written in the only way.

    A record ends with a line feed, after a carriage return if lines have them. A field is in quotes only if it holds a
    comma, a quote, which is doubled, or a line end, or if it is an empty text. `words` are the eight bytes from each
    place on, so that most of a text is passed over eight bytes at a time.
    """
    size = content.size
    if place < size and content[place] == _QUOTE:
        place = _pass_quoted_field(content, words, place)
    else:
        place = _pass_plain_field(content, words, place)
    if place < 0:
        return -1
    if is_last and has_returns:
        if place >= size or content[place] != _RETURN:
            return -1
        place += 1
    if place >= size or content[place] != (_LINE_FEED if is_last else _COMMA):
        return -1
    return place + 1


@kernel(steps=1)
def count_records(content, words, place, width, has_returns):
    """Count the records of a CSV from a place on; return -1 if one of them is not written in the only way. O(bytes)."""
    records = 0
    while place < content.size:
        for column in range(width):
            place = _pass_field(content, words, place, column == width - 1, has_returns)
            if place < 0:
                return -1
        records += 1
    return records


@kernel(inline=True)
def _are_equal(content, words, one, other, length):
    """Whether the bytes from one place on are those from another place on, which lies behind it."""
    if other + length > content.size:
        return False
    passed = 0
    while passed + 8 <= length:
        if words[one + passed] != words[other + passed]:
            return False
        passed += 8
    while passed < length:
        if content[one + passed] != content[other + passed]:
            return False
        passed += 1
    return True


@kernel(steps=1)
def count_equal_fields(content, words, place, width, has_returns, most):
    """Return how many of the first records begin with 0, 1, ... fields like the record before them; fewer records if
    one of them is not written in the only way. O(bytes of these records)."""
    counts = np.zeros(width + 1, dtype=np.int64)
    before, starts = np.zeros(width + 1, dtype=np.int64), np.zeros(width + 1, dtype=np.int64)
    for record in range(most):
        if place >= content.size:
            break
        starts[0] = place
        for column in range(width):
            place = _pass_field(content, words, place, column == width - 1, has_returns)
            if place < 0:
                return counts
            starts[column + 1] = place
        equal = 0
        while record > 0 and equal < width:
            length = before[equal + 1] - before[equal]
            if starts[equal + 1] - starts[equal] != length:
                break
            if not _are_equal(content, words, before[equal], starts[equal], length):
                break
            equal += 1
        counts[equal] += 1
        before[:] = starts
    return counts


@kernel(steps=1)
def split_records(content, words, place, width, has_returns, split, heads, tails, runs):
    """Write the first `split` fields of each record to `heads`, unless the record before begins with the same bytes,
    and the other fields, behind a comma, to `tails`; write to `runs` which head each record has.

    Return the number of records and of heads, and the bytes of `heads` and `tails`; -1 records if one of them is not
    written in the only way. Equal bytes are compared, and not parsed again. O(bytes).
    """
    records, head, head_size, tail_size = 0, -1, 0, 0
    before, length = 0, 0
    while place < content.size:
        if head >= 0 and _are_equal(content, words, before, place, length):
            before = place
            place += length
        else:
            before = place
            for _ in range(split):
                place = _pass_field(content, words, place, False, has_returns)
                if place < 0:
                    return -1, 0, 0, 0
            head, length = head + 1, place - before
            heads[head_size : head_size + length] = content[before:place]
            heads[head_size + length] = _LINE_FEED
            head_size += length + 1
        start = place - 1  # the comma
        for column in range(split, width):
            place = _pass_field(content, words, place, column == width - 1, has_returns)
            if place < 0:
                return -1, 0, 0, 0
        for byte in content[start:place]:
            tails[tail_size] = byte
            tail_size += 1
        runs[records] = head
        records += 1
    return records, head + 1, head_size, tail_size
