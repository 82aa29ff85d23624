"""Loops over the encoded values of a page."""

from __future__ import annotations

import numpy as np

from voile.kernels.compilation import kernel


@kernel(steps=1)
def count_runs(content, start, end, width, length, counts):
    """Count how often each code occurs in `length` codes of `width` bits, written as runs and packed groups of eight.

    Return 0 if bytes `start` to `end` are exactly these codes, packed groups are filled up with zeros, and every code
    is below the length of `counts`; else 1. O(length).
    """
    place, done = np.int64(start), np.int64(0)
    value_bytes, mask = (width + 7) // 8, (np.int64(1) << width) - 1
    while done < length:
        header, shift = np.int64(0), 0
        while True:
            if place >= end or shift > 35:
                return 1
            byte = np.int64(content[place])
            place += 1
            header |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if byte == 0 and shift > 7:
            return 1  # the header is longer than it need be
        many = header >> 1
        if many == 0:
            return 1
        if header & 1 == 0:
            if place + value_bytes > end or many > length - done:
                return 1
            code = np.int64(0)
            for i in range(value_bytes):
                code |= np.int64(content[place + i]) << (8 * i)
            place += value_bytes
            if code > mask or code >= counts.size:
                return 1
            counts[code] += many
            done += many
            continue
        if place + many * width > end or (many - 1) * 8 >= length - done:
            return 1
        held, bits = np.int64(0), 0
        for _ in range(many * 8):
            while bits < width:
                held |= np.int64(content[place]) << bits
                place += 1
                bits += 8
            code = held & mask
            held >>= width
            bits -= width
            if done < length:
                if code >= counts.size:
                    return 1
                counts[code] += 1
                done += 1
            elif code != 0:
                return 1
    return 0 if place == end else 1


@kernel(steps=1)
def measure_texts(content, lengths):
    """Write the lengths of texts that stand one behind the other, each after its length in four bytes. Return 0 if they
    fill `content` exactly; else 1. O(number of texts)."""
    place = np.int64(0)
    for i in range(lengths.size):
        if place + 4 > content.size:
            return 1
        length = np.int64(0)
        for j in range(4):
            length |= np.int64(content[place + j]) << (8 * j)
        lengths[i] = length
        place += 4 + length
        if place > content.size:
            return 1
    return 0 if place == content.size else 1
