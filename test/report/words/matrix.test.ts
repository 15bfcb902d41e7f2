import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ControlResult, ResourceResult, Run } from '../../../src/model/run.ts'
import { mergeRuns } from '../../../src/model/findings/merge.ts'
import {
  describeHost,
  findDissenters,
  findingsOfRow,
  hostAt,
  type Matrix,
  matrixOf,
  rowsOf,
  signLegend,
  SIGNS,
} from '../../../src/report/words/matrix.ts'
import { requirementsOf } from '../../../src/report/words/requirements.ts'
import { arbitraryRun } from '../../support/arbitrary-run.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../../support/run.ts'

const drifted = (observed: string, fields: Partial<ResourceResult> = {}): ResourceResult =>
  resourceResult({ verdict: 'drifted', drift: [{ property: 'mode', desired: '0640', observed }], ...fields })

function on(hostname: string, resources: readonly ResourceResult[], controls: readonly ControlResult[] = []): Run {
  return runOf({
    policies: [policyResult({ resources, controls })],
    target: { kind: 'local', hostname, os: { id: 'debian', version: '12' } },
    run: { ...runOf().run, id: hostname },
  })
}

function merged(...runs: readonly [Run, ...Run[]]): Matrix {
  const matrix = matrixOf(mergeRuns(runs))
  if (matrix === undefined) throw new Error('no matrix')
  return matrix
}

/** Each failing row as `id: signs`, a star behind what differs, a blank where a host was not asked. */
function drawn({ failing }: Matrix): readonly string[] {
  return failing.map(({ worst, cells }) => {
    const signs = cells.map((cell) => (cell ? SIGNS[cell.requirement.standing] + (cell.differs ? '*' : '') : ' '))
    return `${worst.id}: ${signs.join('')}`
  })
}

test('a report about one host has no matrix, however many runs it is of', () => {
  expect(matrixOf(on('web01', [drifted('0666')]))).toBeUndefined()
  expect(matrixOf(mergeRuns([on('web01', [drifted('0666')]), on('web01', [drifted('0644')])]))).toBeUndefined()
})

test('the host that says something else than most is marked', () => {
  const well = resourceResult()
  expect(drawn(merged(on('a', [drifted('0666')]), on('b', [well]), on('c', [well])))).toEqual(['file#/etc/motd: x*..'])
  expect(drawn(merged(on('a', [drifted('0666')]), on('b', [well]), on('c', [drifted('0666')])))).toEqual([
    'file#/etc/motd: x.*x',
  ])
})

test('another value is another answer where most have the same', () => {
  const same = drifted('0644')
  expect(drawn(merged(on('a', [same]), on('b', [same]), on('c', [drifted('0777')])))).toEqual(['file#/etc/motd: xxx*'])
  const own = ['0644', '0666', '0777'].map((mode, index) => on(`h${index}`, [drifted(mode)]))
  const [first = on('h', []), ...others] = own
  expect(drawn(merged(first, ...others))).toEqual(['file#/etc/motd: xxx'])
})

test.each<readonly [string, readonly ResourceResult['verdict'][], string]>([
  ['two hosts that disagree: neither is the rest', ['drifted', 'compliant'], 'x.'],
  ['half and half', ['drifted', 'drifted', 'compliant', 'compliant'], 'xx..'],
  [
    'a host that it does not concern neither counts nor differs',
    ['drifted', 'not-applicable', 'compliant', 'compliant'],
    'x*-..',
  ],
  ['an unreadable resource differs', ['error', 'compliant', 'compliant'], '?*..'],
])('%s', (_what, verdicts, expected) => {
  const [first = on('x', []), ...others] = verdicts.map((verdict, index) =>
    on(`h${index}`, [verdict === 'drifted' ? drifted('0666') : resourceResult({ verdict })]),
  )
  expect(drawn(merged(first, ...others))).toEqual([`file#/etc/motd: ${expected}`])
})

test('a host without that resource is blank, and the legend explains the blank', () => {
  const matrix = merged(on('a', [drifted('0666')]), on('b', [resourceResult({ name: '/other' })]))
  expect(drawn(matrix)).toEqual(['file#/etc/motd: x '])
  expect(signLegend(matrix.failing.flatMap(({ cells }) => cells))).toBe('x drifted, blank: not evaluated')
})

test('rows are sorted: drift before undecided, by severity, then by the number of hosts', () => {
  const named = (name: string, fields: Partial<ResourceResult> = {}): ResourceResult =>
    drifted('0666', { name, ...fields })
  const all = [
    named('/low', { severity: 'low' }),
    named('/few'),
    named('/many'),
    resourceResult({ name: '/unread', verdict: 'error', severity: 'critical', message: 'denied' }),
    named('/critical', { severity: 'critical' }),
  ]
  const matrix = merged(on('a', all), on('b', [resourceResult({ name: '/few' }), named('/many')]))
  expect(matrix.failing.map(({ worst }) => worst.id)).toEqual(
    ['/critical', '/many', '/few', '/low', '/unread'].map((name) => `file#${name}`),
  )
})

test('controls are rows with the findings of their resources; their resources are not', () => {
  const control = controlResult({ id: 'c-1', verdict: 'drifted' })
  const matrix = merged(
    on('a', [drifted('0666', { controls: ['c-1'] })], [control]),
    on('b', [resourceResult({ controls: ['c-1'] })], [{ ...control, verdict: 'compliant' }]),
    on('c', [drifted('0666', { controls: ['c-1'] })], [control]),
  )
  expect(drawn(matrix)).toEqual(['c-1: x.*x'])
  const [row] = matrix.failing
  expect(row === undefined ? [] : findingsOfRow(row, matrix.hosts).map(({ hosts, found }) => [hosts, found])).toEqual([
    [['a', 'c'], ['file#/etc/motd: mode: want 0640, found 0666']],
  ])
})

test('a host that was scanned twice says the worst of it', () => {
  const matrix = merged(on('a', [resourceResult()]), on('a', [drifted('0666')]), on('b', [resourceResult()]))
  expect(drawn(matrix)).toEqual(['file#/etc/motd: x.'])
})

describe('of a host', () => {
  test.each<readonly [string, readonly ResourceResult[], string]>([
    [
      'failing resources are counted',
      [drifted('0666'), resourceResult({ name: '/b' })],
      'score 50 of 100, 1 of 2 failing',
    ],
    ['nothing may fail', [resourceResult()], 'score 100 of 100, none of 1 failing'],
    ['nothing decided is nothing proved', [resourceResult({ verdict: 'not-applicable' })], 'nothing was evaluated'],
  ])('%s', (_what, resources, expected) => {
    expect(describeHost(hostAt(merged(on('a', resources), on('b', [])), 0))).toBe(expected)
  })

  test('differing rows are counted', () => {
    const matrix = merged(on('a', [drifted('0666')]), on('b', [resourceResult()]), on('c', [resourceResult()]))
    expect([0, 1].map((column) => describeHost(hostAt(matrix, column)))).toEqual([
      'score 0 of 100, 1 of 1 failing, differs in 1',
      'score 100 of 100, none of 1 failing',
    ])
  })
})

test.each([
  [['a', 'a', 'b'], [2]],
  [['a', 'b'], undefined],
  [['a', 'a'], []],
  [['a'], []],
  [[], undefined],
])('of the votes %j those of %j are in the minority', (votes, expected) => {
  expect(findDissenters(votes.map((vote, index) => [index, vote]))).toEqual(expected)
})

test('every requirement of every host is in the matrix, once', () => {
  fc.assert(
    fc.property(arbitraryRun, arbitraryRun, (first, second) => {
      const run = mergeRuns([first, second])
      const matrix = matrixOf(run)
      if (matrix === undefined) return
      const keys = requirementsOf(run).map(({ policy, control, path = [], id, origin }) =>
        JSON.stringify([policy.id, control !== undefined, path, id, origin.target.hostname]),
      )
      const cells = rowsOf(matrix).flatMap(({ cells: own }) => own.filter((cell) => cell !== undefined))
      expect(cells).toHaveLength(new Set(keys).size)
    }),
  )
})
