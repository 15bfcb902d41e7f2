// Which mutants the type checker accepts. It rejects the others before any test could, as it would where a person wrote them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** Declarations that a mutant leaves unused; the program runs all the same. */
const UNUSED = new Set([6133, 6138, 6192, 6196, 6198, 6199, 6205])

/** Makes the question whether a mutant compiles, for the project at `root`. */
export function typeChecker(root) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, root)
  const mutated = { file: undefined, text: '', version: 0 }
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, incremental: false, tsBuildInfoFile: undefined }),
    getScriptFileNames: () => fileNames,
    getScriptVersion: (file) => (file === mutated.file ? `mutant ${mutated.version}` : '0'),
    getScriptSnapshot(file) {
      if (file === mutated.file) return ts.ScriptSnapshot.fromString(mutated.text)
      return ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, 'utf8')) : undefined
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
    realpath: (path) => ts.sys.realpath(path),
  })
  return (mutant) => {
    const file = join(root, mutant.path)
    Object.assign(mutated, {
      file,
      text: withMutant(readFileSync(file, 'utf8'), mutant),
      version: mutated.version + 1,
    })
    const found = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)]
    return found.every(({ code }) => UNUSED.has(code))
  }
}

function withMutant(text, { start, end, form, replacement }) {
  const instead = { body: '{}', statement: ';', expression: `(${replacement})` }[form]
  return text.slice(0, start) + instead + text.slice(end)
}
