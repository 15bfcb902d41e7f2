import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeForTerminal } from '../../../../src/model/escape.ts'
import { renderGraph } from '../../../../src/engine/inspect/graph/index.ts'
import { needsPrograms } from '../../../support/programs.ts'
import { hostileText } from '../../../support/hostile-text.ts'
import { HOSTILE, named, site } from './policies.ts'
import { cases } from '../../../support/soak.ts'

const DOT = { format: 'dot', controls: false } as const

test('a whole graph', () => {
  expect(renderGraph(site, { format: 'dot', controls: true })).toBe(String.raw`digraph policy {
  graph [charset="UTF-8", compound=true, rankdir=LR]
  node [shape=box]
  subgraph cluster_p0 {
    label="policy site\nsite.yaml"
    r1 [label="file#/etc/motd"]
    r2 [label="service#web"]
    r3 [label="file#/etc/issue"]
    r4 [label="apply#base.yaml"]
    r7 [label="apply#mail.yaml\nnot applicable: control.if is false: Data.mail", style=dashed]
    r8 [label="apply#broken.yaml\nnot read: no such name; nor that", style=dashed]
    c9 [label="control c-1 (high)\nGreets", shape=hexagon]
    subgraph cluster_p5 {
      label="manifest base.yaml\nonly audited\nonly health checks"
      r6 [label="file#/base"]
    }
  }
  r2 -> r1 [label="requires"]
  r2 -> r1 [label="subscribes to", style=dashed]
  r3 -> r1 [label="reads", style=bold]
  r4 -> r2 [label="requires"]
  r4 -> r6 [label="applies", lhead=cluster_p5]
  c9 -> r1 [label="supported by", style=dotted, arrowhead=none]
  c9 -> r2 [label="supported by", style=dotted, arrowhead=none]
}
`)
})

const needsDot = needsPrograms('dot')

interface Drawn {
  readonly labels: readonly string[]
  readonly edges: readonly string[]
}

/** What Graphviz draws: the texts of the nodes by the order of their names, and the edges. */
function draw(dot: string): Drawn {
  const { status, stdout, stderr } = spawnSync('dot', ['-Tjson'], { input: dot, encoding: 'utf8', maxBuffer: 2 ** 28 })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { objects = [], edges = [] } = JSON.parse(stdout)
  const nodes = objects.filter(({ name }: { name: string }) => /^[rc]\d/.test(name))
  const texts = nodes.map(
    ({ name, _ldraw_: operations }: { name: string; _ldraw_: { op: string; text?: string }[] }) => ({
      at: Number(name.slice(1)),
      text: operations.flatMap(({ op, text }) => (op === 'T' ? [text ?? ''] : [])).join('\n'),
    }),
  )
  return {
    labels: texts
      .toSorted((left: { at: number }, right: { at: number }) => left.at - right.at)
      .map(({ text }: { text: string }) => text),
    edges: edges.map(({ label }: { label: string }) => label),
  }
}

test.skipIf(needsDot)('Graphviz draws what is meant', () => {
  const { labels, edges } = draw(renderGraph(site, { format: 'dot', controls: true }))
  expect(labels).toEqual([
    'file#/etc/motd',
    'service#web',
    'file#/etc/issue',
    'apply#base.yaml',
    'file#/base',
    'apply#mail.yaml\nnot applicable: control.if is false: Data.mail',
    'apply#broken.yaml\nnot read: no such name; nor that',
    'control c-1 (high)\nGreets',
  ])
  expect(edges.toSorted()).toEqual(
    ['applies', 'reads', 'requires', 'requires', 'subscribes to', 'supported by', 'supported by'].toSorted(),
  )
})

test.skipIf(needsDot)('Graphviz shows hostile names as they are', () => {
  const { labels } = draw(renderGraph(named(HOSTILE), DOT))
  expect(labels).toEqual(HOSTILE.map((name, at) => escapeForTerminal(`file#${name} ${at}`)))
})

test.skipIf(needsDot)('Graphviz shows any names as they are', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { minLength: 1, maxLength: 30 }), (names) => {
      const { labels } = draw(renderGraph(named(names), DOT))
      expect(labels).toEqual(names.map((name, at) => escapeForTerminal(`file#${name} ${at}`)))
    }),
    { numRuns: cases({ usual: 6, soak: 300 }) },
  )
})

test('a drawing has nothing invisible but line feeds', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { maxLength: 5 }), (names) => {
      const dot = renderGraph(named(names), DOT)
      expect(dot.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
    }),
  )
})
