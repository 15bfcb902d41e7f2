import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeForTerminal } from '../../../../src/model/escape.ts'
import { renderGraph } from '../../../../src/engine/inspect/graph/index.ts'
import { hostileText } from '../../../support/hostile-text.ts'
import { HOSTILE, named, site } from './policies.ts'

const MERMAID = { format: 'mermaid', controls: false } as const

test('a whole flowchart', () => {
  expect(renderGraph(site, { format: 'mermaid', controls: true })).toBe(`\
flowchart LR
  classDef unread stroke-dasharray:4
  subgraph p0["policy site<br/>site.yaml"]
    r1["file#35;/etc/motd"]
    r2["service#35;web"]
    r3["file#35;/etc/issue"]
    r4["apply#35;base.yaml"]
    r7["apply#35;mail.yaml<br/>not applicable#58; control.if is false#58; Data.mail"]:::unread
    r8["apply#35;broken.yaml<br/>not read#58; no such name#59; nor that"]:::unread
    c9{{"control c-1 #40;high#41;<br/>Greets"}}
    subgraph p5["manifest base.yaml<br/>only audited<br/>only health checks"]
      r6["file#35;/base"]
    end
  end
  r2 -->|requires| r1
  r2 -.->|subscribes to| r1
  r3 ==>|reads| r1
  r4 -->|requires| r2
  r4 -->|applies| p5
  c9 -.-|supported by| r1
  c9 -.-|supported by| r2
`)
})

/** The statements of a flowchart that this drawing is made of, with labels in double quotes. */
const STATEMENTS = [
  /^flowchart LR$/,
  /^ {2}classDef unread stroke-dasharray:4$/,
  /^ *subgraph p\d+\["[^"]+"\]$/,
  /^ *[rc]\d+(?:\["[^"]+"\](?::::unread)?|\{\{"[^"]+"\}\})$/,
  /^ *end$/,
  /^ {2}[rc]\d+ (?:-->|-\.->|==>|-\.-)\|[a-z ]+\| [rp]\d+$/,
]

/**
 * What Mermaid 11 takes for something else wherever it stands: directives, comments, front matter, the semicolon that its
 * preprocessor removes after a style, Markdown strings, and the statement that changes the direction.
 * @see its `preprocess.ts`, `diagram-api/comments.ts`, `regexes.ts`, `encodeEntities` in `utils.ts`, and `flow.jison`
 */
const HAZARDS = [
  /%%/,
  /^---/m,
  /style.*:\S*#.*;/,
  /classDef.*:\S*#.*;/,
  /"`/,
  /direction\s+(?:TB|TD|BT|RL|LR)/,
  /[\u00b0\u00b6]/,
  /<(?!br\/>)/,
  /[[\](){}*_~`\\@|$]/,
  /www\./i,
]

/** The labels of the nodes as a browser shows them: entity codes are HTML entities with `#` in place of `&#`. */
function labelsIn(flowchart: string): readonly string[] {
  return [...flowchart.matchAll(/^ *r\d+\["([^"]*)"\]/gm)].map(([, label = '']) =>
    label.replaceAll(/#(\d+);/g, (_code, number: string) => String.fromCodePoint(Number(number))),
  )
}

function expectPlain(flowchart: string): void {
  for (const line of flowchart.trimEnd().split('\n')) {
    expect(STATEMENTS.filter((statement) => statement.test(line))).toHaveLength(1)
    const label = /"([^"]*)"/.exec(line)?.[1] ?? ''
    for (const hazard of HAZARDS) expect(label).not.toMatch(hazard)
  }
  expect(flowchart.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
}

test.each(HOSTILE)('a resource named %j is a label and nothing else', (name) => {
  const flowchart = renderGraph(named([name]), MERMAID)
  expectPlain(flowchart)
  expect(labelsIn(flowchart)).toEqual([escapeForTerminal(`file#${name} 0`)])
})

test('any names are labels and nothing else', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { minLength: 1, maxLength: 5 }), (names) => {
      const flowchart = renderGraph(named(names), MERMAID)
      expectPlain(flowchart)
      expect(labelsIn(flowchart)).toEqual(names.map((name, at) => escapeForTerminal(`file#${name} ${at}`)))
    }),
  )
})
