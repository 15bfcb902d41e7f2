/**
 * `driftgate/templates`: the template languages of Go programs, on values of Go.
 *
 * ```ts
 * import { fromPlain, parseGoTemplate, renderGoTemplate } from 'driftgate/templates'
 *
 * const template = parseGoTemplate('{{ .host | upper }}:{{ .port }}', { name: 'address' })
 * renderGoTemplate(template, fromPlain({ host: 'web01', port: 8080 })) // WEB01:8080
 * ```
 *
 * | language | follows |
 * | --- | --- |
 * | Expr | [expr](https://expr-lang.org/docs/language-definition) 1.17 |
 * | GJSON | [gjson](https://github.com/tidwall/gjson) 1.19 |
 * | Jet | [jet](https://github.com/CloudyKit/jet) 6.3 |
 * | text/template | Go's package, with the functions of [sprig](https://masterminds.github.io/sprig/) 3.3 |
 *
 * Results, texts of errors and types are those of the Go programs, by cases recorded from them. A template has no access to files,
 * the network, the environment or JavaScript: it sees the data and functions that the program passes. Regular expressions are RE2
 * and take linear time. All functions are synchronous.
 *
 * A template that cannot be parsed or evaluated throws a `TemplateError`, one that reaches a limit of its `Budget` a `BudgetError`.
 * Any other error comes from a host function, or is a defect.
 *
 * @packageDocumentation
 */
export { BudgetError, TemplateError, type TemplateErrorOptions } from './errors.ts'

export {
  type CompiledExpression,
  compileExpression,
  type CompileOptions,
  evaluateExpression,
  type ExprEnvironment,
  type ExprType,
  typeOfValue,
} from './expr/index.ts'

export {
  asBool,
  asFloat,
  asInt,
  asString,
  asUint,
  exists,
  getJson,
  type GjsonResult,
  type GjsonType,
  isArray,
  isObject,
} from './gjson/index.ts'

export {
  type Delimiters,
  type ParsedGoTemplate,
  parseGoTemplate,
  type ParseGoTemplateOptions,
  renderGoTemplate,
  type RenderGoTemplateOptions,
} from './gotemplate/index.ts'

export {
  type JetLoader,
  type JetParseOptions,
  type JetRenderOptions,
  type JetTemplate,
  parseJet,
  renderJet,
  renderParsedJet,
} from './jet/index.ts'

export {
  Budget,
  type BudgetLimits,
  decodeGoJson,
  DEFAULT_LIMITS,
  encodeGoJson,
  fixedZone,
  formatGoDuration,
  formatGoTime,
  formatGoValue,
  fromPlain,
  type GoDuration,
  type GoEnum,
  type GoFunction,
  type GoInt64,
  type GoLocation,
  type GoTime,
  type GoValue,
  goTypeName,
  type JsonDecodeOptions,
  type JsonEncodeOptions,
  loadLocation,
  parseGoDuration,
  parseGoTime,
  stringMap,
  toPlain,
  UTC,
} from './govalue/index.ts'
