#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""prose.py PROGRAM DOCUMENT...: reads the prose of Markdown documents, and the help of every command of PROGRAM.

Three readers look at it: aspell (British English with -ise; words.txt has the words of the field and of this project), proselint (what
editors advise against), and the rules of rules.toml, which name what readers of this project stumbled over. Each rule has sentences that it
must find and sentences that it must leave alone: they are tried first, so that a rule which has stopped to work is seen.

Code, commands, file names and links are no prose: they are left out. Each finding is a line DOCUMENT:LINE: [RULE] MESSAGE.

Exit: 0 nothing was found; 1 something was; 2 a rule does not do what its own examples say.
"""

import bisect
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import proselint.tools
from markdown_it import MarkdownIt

HERE = Path(__file__).resolve().parent
LONGEST = 40  # words of a sentence
# Where a sentence ends: a colon ends one before a capital alone.
END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?:[.?!][\"')]*\s+|:\s+(?=[\"'(]*[A-Z]))")
# What stands for code is a name to every reader.
NAME = "Code"


def paragraphs(text):
    """Each paragraph, heading, item and cell of a document: its first line and its prose."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type != "inline":
            continue
        words = []
        for child in token.children:
            if child.type == "text":
                words.append(child.content)
            elif child.type == "code_inline":
                words.append(NAME)
            elif child.type in ("softbreak", "hardbreak"):
                words.append("\n")
        yield token.map[0] + 1, "".join(words)


def helps(program):
    """What each command says of itself and of its arguments, by the command's name."""
    told = json.loads(subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout)

    def visit(command, name):
        for key in ("abstract", "discussion"):
            # Indented lines are examples and tables.
            block = []
            for line in [*command.get(key, "").split("\n"), ""]:
                if line.strip() and not line.startswith("  "):
                    block.append(line)
                elif block:
                    yield name, "\n".join(block)
                    block = []
        for argument in command.get("arguments", []):
            if argument["shouldDisplay"]:
                yield f"{name} {argument['valueName']}", argument.get("abstract", "")
        for each in command.get("subcommands", []):
            if each["commandName"] != "help":
                yield from visit(each, f"{name} {each['commandName']}")

    yield from visit(told["command"], "haprig")


def sentences(prose):
    start = 0
    for match in END.finditer(prose):
        yield start, prose[start : match.end()].strip()
        start = match.end()
    yield start, prose[start:].strip()


class Rule:
    def __init__(self, table):
        self.name, self.message = table["name"], table["message"]
        self.finds, self.leaves = table["finds"], table["leaves"]
        self.pattern = re.compile(table["pattern"], re.IGNORECASE) if "pattern" in table else None

    def places(self, prose):
        """Where it is broken, with what broke it."""
        if self.pattern:
            for match in self.pattern.finditer(prose):
                yield match.start(), " ".join(match[0].split())
        else:
            for start, sentence in sentences(prose):
                # Lists of names of code are read one by one.
                count = len([word for word in sentence.split() if re.search(r"\w", word) and NAME not in word])
                if count > LONGEST:
                    yield start, f"{count} words: " + " ".join(sentence.split()[:6]) + " ..."


def rules():
    """The rules, each tried on its own examples."""
    made = [Rule(table) for table in tomllib.loads((HERE / "rules.toml").read_text())["rule"]]
    wrong = []
    for rule in made:
        wrong += [f"rule {rule.name} does not find: {each}" for each in rule.finds if not list(rule.places(each))]
        wrong += [f"rule {rule.name} finds what it must leave: {each}" for each in rule.leaves if list(rule.places(each))]
        if not rule.finds or not rule.leaves:
            wrong.append(f"rule {rule.name} has no examples")
    if wrong:
        print("\n".join(wrong))
        sys.exit(2)
    return made


def plain(prose):
    """Without addresses, file names, options, and words with digits or capitals inside: they are names."""
    prose = re.sub(r"\S*(?:://|[/\\@_=])\S*|(?<![\w-])--?[a-z][\w-]*|\w+\.[a-z]\w*", " ", prose)
    return re.sub(r"\b\w*(?:\d|[a-z][A-Z]|[A-Z]{2}[a-z])\w*\b", " ", prose)


def words(prose):
    """Each word without its possessive, and the number of its line in the prose."""
    for number, line in enumerate(plain(prose).split("\n")):
        for word in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", line):
            yield word.removesuffix("'s"), number


def spelling(pieces):
    """Each unknown word at its place, and each word of the vocabulary that no document needs."""
    known = {line.split("#")[0].strip() for line in (HERE / "words.txt").read_text().splitlines()} - {""}
    used = {word for _, _, prose in pieces for word, _ in words(prose)}
    asked = sorted(used | {word.lower() for word in used})
    aspell = ["aspell", "list", "-d", "en_GB-ise", "--encoding=utf-8", "--ignore=2"]
    said = set(subprocess.run(aspell, input="\n".join(asked), capture_output=True, text=True, check=True).stdout.split())
    # The beginning of a sentence is no name.
    strange = {word for word in used if word in said and word.lower() in said}
    for source, line, prose in pieces:
        for word, number in words(prose):
            if word in strange and not {word, word.lower()} & known:
                yield source, line and line + number, f"[spelling] {word}"
    for word in sorted(known - strange - {word.lower() for word in strange}):
        yield ".ci/prose/words.txt", 0, f"[vocabulary] the dictionary has {word}, or no document: take it out"


def advice(pieces):
    """What proselint finds. It reads all pieces as one text, so that it also sees one word spelled in two ways."""
    starts, text = [], ""
    for _, _, prose in pieces:
        starts.append(len(text))
        text += prose + "\n\n"
    for check, message, _, _, start, *_ in proselint.tools.lint(text):
        piece = bisect.bisect_right(starts, start) - 1
        source, line, prose = pieces[piece]
        yield source, line + prose[: start - starts[piece]].count("\n"), f"[{check}] {message}"


def try_readers():
    """Ends the program where aspell or proselint passes what each must find."""
    told = [message for _, _, message in spelling([("", 1, "A Behavior that recieves.")])]
    found = {message for message in told if message.startswith("[spelling]")}
    kept = len(list(advice([("", 1, "This is very unique."), ("", 2, "It bears it for ever.")])))
    # Neither of these sentences has a word of the vocabulary.
    if found != {"[spelling] Behavior", "[spelling] recieves"} or len(told) == len(found) or kept != 2:
        print(f"aspell or proselint does not find what it must: {sorted(found)}, {kept}")
        sys.exit(2)


def main():
    program, *documents = sys.argv[1:]
    checked = rules()
    try_readers()
    pieces = [(document, line, prose) for document in documents for line, prose in paragraphs(Path(document).read_text())]
    pieces += [(f"{name} --help", 0, prose) for name, prose in helps(program)]
    found = list(spelling(pieces))
    for source, line, prose in pieces:
        for rule in checked:
            for place, what in rule.places(prose):
                found.append((source, line + prose[:place].count("\n"), f"[{rule.name}] {what}: {rule.message}"))
    found += advice(pieces)
    for source, line, message in found:
        print(f"{source}:{line}: {message}" if line else f"{source}: {message}")
    words = sum(len(prose.split()) for _, _, prose in pieces)
    print(f"{words} words of {len(documents)} documents and the help were read: {len(found)} findings")
    sys.exit(1 if found else 0)


main()
