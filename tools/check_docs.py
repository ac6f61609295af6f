#!/usr/bin/env python3
"""Checks what a compiler does not: documents and words.

usage: tools/check_docs.py [ROOT]

  links    every relative link in a Markdown file names a file that exists, and a heading when it has a #part
  parity   README.zh-CN.md has the headings (levels and order), code blocks and table rows of README.md
  stages   every stage folder with code has a README.md
  words    no file mentions the folders of one machine or the host of a package registry

Prints one line per finding. Exit status: 0 no finding, 1 findings.
"""

import pathlib
import re
import subprocess
import sys
import unicodedata

FENCE = re.compile(r"^(```|~~~)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
FORBIDDEN = {
    "a folder of one machine": re.compile(r"(?<![\w./$}])/(?:work|root|home|tmp/w)/"),
    "the host of a package registry": re.compile(
        r"\b(?:pypi|pythonhosted|debian|npmjs|crates|golang|maven)\.(?:org|com|io)\b"),
}


def tracked_files(root):
    """Paths relative to root: what git tracks or would track."""
    names = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True).stdout.decode().split("\0")
    return [name for name in sorted(names) if name and (root / name).is_file()]


def split_code(text):
    """(lines outside fenced blocks with their numbers, contents of the fenced blocks)."""
    prose, blocks, block = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            if block is None:
                block = [line]
            else:
                blocks.append("\n".join(block))
                block = None
        elif block is None:
            prose.append((number, line))
        else:
            block.append(line)
    return prose, blocks


def headings(text):
    """[(level, title)] outside code."""
    found = (HEADING.match(line) for _, line in split_code(text)[0])
    return [(len(match[1]), match[2]) for match in found if match]


def anchor(title):
    """The #part of a heading, as code hosts make it."""
    kept = [c for c in title.strip().lower() if c in " -_" or unicodedata.category(c)[0] in "LN"]
    return "".join(kept).replace(" ", "-")


def check_links(root, names):
    for name in names:
        if not name.endswith(".md"):
            continue
        for number, line in split_code((root / name).read_text())[0]:
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, part = target.partition("#")
                file = (root / name).parent / path if path else root / name
                if not file.exists():
                    yield f"{name}:{number}: link to {target}: there is no such file"
                elif part and file.suffix == ".md":
                    anchors = [anchor(title) for _, title in headings(file.read_text())]
                    if part not in anchors:
                        yield f"{name}:{number}: link to {target}: no such heading; there are: {', '.join(anchors)}"


def table_rows(text):
    return sum(line.lstrip().startswith("|") for _, line in split_code(text)[0])


def check_parity(root):
    english, chinese = root / "README.md", root / "README.zh-CN.md"
    for file in (english, chinese):
        if not file.exists():
            yield f"{file.name}: missing"
            return
    a, b = english.read_text(), chinese.read_text()
    levels_a, levels_b = [[level for level, _ in headings(text)] for text in (a, b)]
    if levels_a != levels_b:
        yield f"README.zh-CN.md: heading levels are {levels_b}, those of README.md are {levels_a}"
    if table_rows(a) != table_rows(b):
        yield f"README.zh-CN.md: {table_rows(b)} table rows, README.md has {table_rows(a)}"
    blocks_a, blocks_b = split_code(a)[1], split_code(b)[1]
    if len(blocks_a) != len(blocks_b):
        yield f"README.zh-CN.md: {len(blocks_b)} code blocks, README.md has {len(blocks_a)}"
    for index, (block_a, block_b) in enumerate(zip(blocks_a, blocks_b), 1):
        if block_a != block_b:
            yield f"README.zh-CN.md: code block {index} differs from README.md's"


def check_stages(root):
    for lists in sorted(root.glob("src/*/CMakeLists.txt")):
        if not (lists.parent / "README.md").exists():
            yield f"{lists.parent.relative_to(root)}: no README.md (takes, gives, invariants, how to add one more)"


def check_words(root, names):
    for name in names:
        try:
            lines = (root / name).read_text().splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            for what, pattern in FORBIDDEN.items():
                if match := pattern.search(line):
                    yield f"{name}:{number}: '{match[0]}' is {what}"


def findings(root):
    names = tracked_files(root)
    yield from check_links(root, names)
    yield from check_parity(root)
    yield from check_stages(root)
    yield from check_words(root, names)


def main(arguments):
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent).resolve()
    found = list(findings(root))
    print("\n".join(found) if found else "documents: no finding")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
