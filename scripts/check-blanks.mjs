// Readers of configuration take for a blank what the program takes, never a no-break space or a byte order mark: so there is no `\s`,
// `\S` or `trim()` in them, but what the calls of `REWRITTEN` are given, which take `\s` for the blanks of C.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import ts from 'typescript'

const ROOMS = ['src/settings', 'src/subjects']
/** What programs and the kernel print, and what policies say. */
const OTHERS =
  /\/(?:live|goss|commands|scaffolds|archives|packages|sockets|processes|network)\/|\/(?:\w*witness|undo|apply)\.ts$/
const REWRITTEN = new Set(['lineFormat', 'listsOf', 'withBlanksOfC'])

const found = ROOMS.flatMap((room) =>
  readdirSync(room, { recursive: true })
    .map((name) => join(room, name))
    .filter((path) => path.endsWith('.ts') && !OTHERS.test(path))
    .flatMap(problemsOf),
)
for (const problem of found) console.log(problem)
process.exitCode = found.length === 0 ? 0 : 1

function problemsOf(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
  const problems = []
  visit(source)
  return problems

  function visit(node) {
    if (ts.isCallExpression(node) && REWRITTEN.has(node.expression.getText(source))) return
    if (takesOtherBlanks(node, source)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      problems.push(
        `${path}:${line + 1}: ${node.getText(source).split('\n', 1)} takes blanks that no program of C takes: see settings/blanks.ts`,
      )
    }
    ts.forEachChild(node, visit)
  }
}

function takesOtherBlanks(node, source) {
  if (ts.isRegularExpressionLiteral(node)) return /(?<!\\)(?:\\\\)*\\s/i.test(node.text)
  if (ts.isNewExpression(node) && node.expression.getText(source) === 'RegExp') return /\\s/i.test(node.getText(source))
  return (
    ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'trim'
  )
}
