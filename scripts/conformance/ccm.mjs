import { differenceInError, differenceInText } from './expected-error.mjs'
import { decodeTagged, describeValue, sameValue } from './tagged.mjs'

/** Templates in policies: finding expressions in strings, expanding them, and the functions they may call. */
export const ccm = {
  name: 'ccm',
  entry: 'scripts/conformance/ccm-model.ts',
  skip(recorded, modules) {
    if (modules.jet === undefined && /jet\(|\.jet/.test(String(recorded.template))) return 'this build has no Jet'
    if (modules.gotemplate === undefined && recorded.kind === 'gotemplate') return 'this build has no text/template'
    return undefined
  },
  run(modules, recorded) {
    if (recorded.kind === 'scan') return differenceInScan(modules.ccm, recorded)
    const environment = createEnvironment(modules, recorded)
    const work = () => kinds[recorded.kind](modules, environment, recorded)
    if (recorded.error !== undefined) return differenceInError(recorded.error, work)
    const wanted = decodeTagged(recorded.expect, modules.govalue)
    const found = work()
    return sameValue(wanted, found) ? undefined : `want ${describeValue(wanted)}, found ${describeValue(found)}`
  },
}

const kinds = {
  string: ({ ccm: module }, environment, { template }) => module.expandString(template, environment),
  typed: ({ ccm: module }, environment, { template }) => module.expandTyped(template, environment),
  expr: (_modules, environment, { template }) => environment.evaluate(template),
  match({ ccm: module }, environment, { template, matched }) {
    const result = module.expandMatch(template, environment)
    if (result.matched !== matched) throw new Error(`want matched ${matched}, found ${result.matched}`)
    return result.text
  },
  expand({ ccm: module }, evaluator, { template }) {
    // In a list, because a document is no scalar.
    const source = module.sourceText('data', JSON.stringify([template]))
    const problems = []
    const [value] = module.expandNode(module.readDocument(source).root, { source, evaluator, problems })
    if (problems.length > 0) throw new Error(problems[0].message)
    return value
  },
  expandMap: (...args) => kinds.expand(...args),
  gotemplate({ gotemplate: module }, environment, { template }) {
    const functions = [...environment.jetFunctions().values()]
    return module.renderGoTemplate(module.parseGoTemplate(template, { name: 'template', functions }), null)
  },
}

function createEnvironment({ ccm: module, jet, govalue }, { env = {} }) {
  const { facts = {}, data = {}, environ = {}, workingDir = '', files = {}, kv } = env
  return new module.TemplateEnvironment({
    facts: () => decodeTagged(facts, govalue),
    data: decodeTagged(data, govalue),
    environ: new Map(Object.entries(environ)),
    workingDirectory: workingDir,
    functions: env.restrictFunctions ? 'lookup-only' : 'all',
    onMissing: env.defaultOnMissing ? 'empty' : 'error',
    jet: jet?.renderJet,
    readFile(path) {
      const content = files[path.replace(`${workingDir}/`, '')]
      if (content === undefined) throw new Error('no such file or directory')
      return content
    },
    kvGet:
      kv &&
      ((bucket, key) => {
        const value = kv[`${bucket} ${key}`]
        if (typeof value === 'string') return value
        throw new govalue.TemplateError(value?.error ?? 'no such key')
      }),
  })
}

function differenceInScan(module, { template, expect, bounds }) {
  const found = module.scanTemplate(template).filter((segment) => segment.kind === 'expression')
  return differenceInText(
    JSON.stringify([expect, bounds]),
    JSON.stringify([found.map((segment) => segment.source), found.map(({ start, end }) => [start, end])]),
  )
}
