"""A loop over the bytes of a published CSV."""

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


@kernel(steps=1)
def count_records(content, words, place, width, has_returns):
    """Count the records of a CSV from a place on; return -1 if one of them is not written in the only way.

    A record has `width` fields and ends with a line feed, after a carriage return if lines have them. A field is in
    quotes only if it holds a comma, a quote, which is doubled, or a line end, or if it is an empty text. `words` are
    the eight bytes from each place on, so that most of a text is passed over eight bytes at a time. O(bytes).
    """
    size, records = content.size, 0
    while place < size:
        for column in range(width):
            if place < size and content[place] == _QUOTE:
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
                if not needs_quotes and place > start:
                    return -1
                place += 1
            else:
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
            if column == width - 1 and has_returns:
                if place >= size or content[place] != _RETURN:
                    return -1
                place += 1
            if place >= size or content[place] != (_COMMA if column < width - 1 else _LINE_FEED):
                return -1
            place += 1
        records += 1
    return records
