import type { Builder, TestCase, TestSuite } from 'junit-report-builder'

/**
 * A JUnit document. Durations are in milliseconds. Texts must not contain characters that XML cannot represent; markup
 * is escaped here.
 */
export interface JunitReport {
  readonly name: string
  readonly durationMs: number
  readonly suites: readonly JunitSuite[]
}

export interface JunitSuite {
  readonly name: string
  readonly hostname: string
  /** ISO 8601 in UTC; written without fraction and time zone, which every dialect accepts. */
  readonly timestamp: string
  readonly durationMs: number
  readonly properties: readonly (readonly [name: string, value: string])[]
  readonly cases: readonly JunitCase[]
}

export interface JunitCase {
  readonly className: string
  readonly name: string
  readonly durationMs: number
  /** The position of the declaration, for annotations: attributes outside of the schemas, which readers ignore. */
  readonly source?: { readonly file: string; readonly line: number }
  readonly outcome: CaseOutcome
}

/**
 * The text of a failure, an error or a skipped case goes into both its message and its body, since each reader shows
 * one of them.
 */
export type CaseOutcome =
  | { readonly kind: 'passed'; readonly output?: string }
  | { readonly kind: 'failure' | 'error'; readonly type: string; readonly text: string }
  | { readonly kind: 'skipped'; readonly text: string }

/**
 * The document as XML, valid for the schemas of Jenkins xUnit and Surefire except for `file` and `line` of its cases.
 * Loads the library on the first call.
 */
export async function buildJunit(report: JunitReport): Promise<string> {
  const builder = await loadBuilder()
  builder.name(report.name)
  for (const suite of report.suites) {
    const testSuite = builder.testSuite()
    addSuite(testSuite, suite)
    onBuild(testSuite, (element) => {
      // Jenkins rejects `skipped` in the root element, which the library always writes.
      element.root().removeAttribute('skipped').att('time', toSeconds(report.durationMs))
    })
  }
  return `${builder.build()}\n`
}

function addSuite(testSuite: TestSuite, suite: JunitSuite): void {
  testSuite.name(suite.name).timestamp(suite.timestamp.slice(0, 'yyyy-mm-ddThh:mm:ss'.length))
  onBuild(testSuite, (element) => {
    element.att('hostname', suite.hostname).att('time', toSeconds(suite.durationMs))
  })
  for (const [name, value] of suite.properties) testSuite.property(name, value)
  for (const junitCase of suite.cases) addCase(testSuite.testCase(), junitCase)
}

function addCase(testCase: TestCase, { className, name, durationMs, source, outcome }: JunitCase): void {
  testCase.name(name).className(className)
  onBuild(testCase, (element) => {
    element.att('time', toSeconds(durationMs))
    if (source !== undefined) element.att('file', source.file).att('line', source.line)
  })
  switch (outcome.kind) {
    case 'passed':
      if (outcome.output !== undefined) testCase.standardOutput(toCdata(outcome.output))
      return
    case 'failure':
      testCase.failure(outcome.text, outcome.type).stacktrace(toCdata(outcome.text))
      return
    case 'error':
      testCase.error(outcome.text, outcome.type, toCdata(outcome.text))
      return
    case 'skipped':
      skip(testCase, outcome.text)
  }
}

/** The library's own `skipped()` does not support a message. */
function skip(testCase: TestCase, text: string): void {
  testCase.getSkippedCount = () => 1
  onBuild(testCase, (element) => {
    element.ele('skipped', { message: text }, text)
  })
}

type Element = ReturnType<TestCase['build']>

/** Extends the XML element of a case or suite beyond the API of the library. */
function onBuild(node: { build: (parent: Element) => Element }, add: (element: Element) => void): void {
  const build = node.build.bind(node)
  node.build = (parent) => {
    const element = build(parent)
    add(element)
    return element
  }
}

/** The library escapes only the first end mark of a CDATA section. */
function toCdata(text: string): string {
  const end = ']]>'
  const first = text.indexOf(end)
  if (first < 0) return text
  const rest = first + end.length
  return text.slice(0, rest) + text.slice(rest).replaceAll(end, ']]]]><![CDATA[>')
}

/** Surefire allows at most three decimals; a fixed number makes reports easy to compare. */
function toSeconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3)
}

/** The library's types declare a default export, but at run time the module itself is the builder, shared by all callers. */
async function loadBuilder(): Promise<Builder> {
  const library: unknown = (await import('junit-report-builder')).default
  if (!isBuilder(library)) throw new Error('junit-report-builder does not export a builder')
  return library.newBuilder()
}

function isBuilder(value: unknown): value is Builder {
  return typeof value === 'object' && value !== null && 'newBuilder' in value
}
