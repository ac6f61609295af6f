"""Each check finds what it is for, and passes a tree without faults."""

import pathlib
import subprocess
import tempfile
import unittest

import check_docs

README = "# A\n\n## B c\n\n| x | y |\n\n```\nrun\n```\n"
# Built from parts, so that this file itself passes the check for words.
MACHINE_PATH = "/".join(["", "home", "someone", "x"])


class CheckDocsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        subprocess.run(["git", "init", "-q", self.folder.name], check=True)
        self.write("README.md", README)
        self.write("README.zh-CN.md", README.replace("A", "甲").replace("B c", "乙"))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def found(self):
        return list(check_docs.findings(self.root))

    def test_a_tree_without_faults_passes(self):
        self.write("docs/a.md", "[b](../README.md#b-c) [web](https://example.com/x) `[code](nowhere)`\n")
        self.write("src/base/CMakeLists.txt", "")
        self.write("src/base/README.md", "# base\n")
        self.write("src/base/a.h", "// run/work/x and work/home are no machine's folders\n")
        self.assertEqual(self.found(), [])

    def test_a_dead_link_is_found_with_its_line(self):
        self.write("docs/a.md", "\n[b](nowhere.md)\n")
        self.assertEqual(self.found(), ["docs/a.md:2: link to nowhere.md: there is no such file"])

    def test_a_dead_heading_is_found(self):
        self.write("docs/a.md", "[b](../README.md#z)\n")
        self.assertIn("no such heading; there are: a, b-c", self.found()[0])

    def test_a_missing_heading_code_block_or_row_breaks_parity(self):
        for fault in (README.replace("## B c", ""), README.replace("run", "walk"),
                      README.replace("```\nrun\n```\n", ""), README.replace("| x | y |", "")):
            self.write("README.zh-CN.md", fault)
            self.assertEqual(len(self.found()), 1, fault)

    def test_a_heading_inside_code_is_no_heading(self):
        self.assertEqual(check_docs.headings("# a\n```\n# not one\n```\n"), [(1, "a")])

    def test_a_stage_without_readme_is_found(self):
        self.write("src/base/CMakeLists.txt", "")
        self.assertIn("src/base: no README.md", self.found()[0])

    def test_a_machine_path_and_a_registry_host_are_found(self):
        self.write("a.cc", f'open("{MACHINE_PATH}");\n')
        self.write("b.txt", "get it from files.python" + "hosted.org\n")
        self.assertEqual([line.split(":")[0] for line in self.found()], ["a.cc", "b.txt"])

    def test_an_ignored_file_is_not_read(self):
        self.write(".gitignore", "build/\n")
        self.write("build/a.cc", MACHINE_PATH)
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
