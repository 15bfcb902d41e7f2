// Small templates with what the Go programs answered, recorded where this project once answered something else.
import { differenceInError, differenceInText } from './expected-error.mjs'
import { decodeTagged, describeValue } from './tagged.mjs'

/** Templates of all languages in the environments that CCM gives them, by what they show. */
export const observed = {
  name: 'observed',
  entry: 'src/policy/template/index.ts',
  skip: ({ template }) =>
    /\bimport "/.test(template) ? 'the files that the template imports are not recorded' : undefined,
  run(modules, recorded) {
    if (recorded.kind === 'gjson') return differenceInResult(modules.gjson, recorded)
    const work = () => kinds[recorded.kind](modules, environmentOf(modules, recorded), recorded)
    // The words of errors are the business of the other cases.
    if (!recorded.observed.ok) return differenceInError({ match: 'any' }, work)
    return differenceInText(recorded.observed.value, work())
  },
}

const kinds = {
  expr: ({ govalue }, environment, { template }) => govalue.formatGoValue(environment.evaluate(template)),
  exprBool: (_modules, environment, { template }) => String(environment.evaluateCondition(template)),
  string: ({ observed: module }, environment, { template }) => module.expandString(template, environment),
  match: ({ observed: module }, environment, { template }) => module.expandMatch(template, environment).text,
  typed: ({ observed: module, govalue }, environment, { template }) =>
    govalue.formatGoValue(module.expandTyped(template, environment)),
  jet: (_modules, environment, { template, delims: [left, right] = ['[[', ']]'] }) =>
    environment.renderJet(template, { left, right }),
  'scaffold-jet': ({ jet }, environment, { template, delims }) => {
    const variables = environment.jetVariables()
    const functions = environment.jetFunctions()
    return jet.renderJet(template, { delimiters: delims, variables, context: variables, functions })
  },
  'jet-files': ({ jet, govalue }, _environment, { template, env }) =>
    jet.renderJet(template, {
      delimiters: ['{{', '}}'],
      variables: decodeTagged(env.vars, govalue),
      context: null,
      functions: new Map(),
    }),
  gotemplate({ gotemplate: module }, environment, { template, delims }) {
    const functions = [...environment.allFunctions().values()]
    const delimiters = delims && { left: delims[0], right: delims[1] }
    const parsed = module.parseGoTemplate(template, { name: 'template', functions, delimiters })
    return module.renderGoTemplate(parsed, environment.jetVariables())
  },
}

function environmentOf({ observed: module, jet, govalue }, { env }) {
  return new module.TemplateEnvironment({
    facts: () => decodeTagged(env.facts ?? {}, govalue),
    data: decodeTagged(env.data ?? {}, govalue),
    environ: new Map(Object.entries(env.environ ?? {})),
    workingDirectory: env.workingDir ?? '',
    jet: jet.renderJet,
    readFile() {
      throw new Error('no such file or directory')
    },
  })
}

/** A result is as recorded when its text, its kind and what `lookup` makes of it are; whole numbers inside are ints here. */
function differenceInResult(module, { env, template, observed: wanted }) {
  const result = module.getJson(env.json, template)
  const found = [result.raw, result.type, module.asString(result), printed(module.toGoValue(result))]
  const recorded = [wanted.raw, wanted.type, wanted.string, printed(decodeTagged(wanted.lookup, {}))]
  return differenceInText(JSON.stringify(recorded), JSON.stringify(found))
}

function printed(value) {
  return describeValue(value).replaceAll(/float\((-?\d+)\)/g, '$1')
}
