"""List the modules of `study` with exactly one importer: ``python -m tests.tools.importers``."""

import grimp

ROOM = "thetafront.study."


def main() -> None:
    """Print each such module with its importer, then how many there are."""
    graph = grimp.build_graph("thetafront")
    modules = sorted(each for each in graph.modules if each.startswith(ROOM))
    importers = {each: graph.find_modules_that_directly_import(each) for each in modules}
    single = {each: next(iter(by)) for each, by in importers.items() if len(by) == 1}
    for module, importer in single.items():
        print(f"{module.removeprefix(ROOM):<45} {importer.removeprefix(ROOM)}")
    print(f"{len(single)} of {len(modules)} modules of study have one importer")


if __name__ == "__main__":
    main()
