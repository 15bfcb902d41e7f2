import { expect, test } from 'vitest'
import { buildGraph, type Cluster } from '../../../../src/engine/inspect/graph/build.ts'
import { declare, policyOf } from '../../../support/policy.ts'
import { childOf, named, site } from './policies.ts'

const PLAIN = { controls: false }

function labelsOf({ nodes, clusters }: Cluster): readonly string[] {
  return [...nodes.map(({ label }) => label.join(' / ')), ...clusters.flatMap(labelsOf)]
}

test('relations point from the resource that names to what it names', () => {
  const { root, edges } = buildGraph(site, { controls: true })
  const names = new Map<string, string>()
  const note = ({ key, label: [name], nodes, clusters }: Cluster): void => {
    names.set(key, name)
    for (const node of nodes) names.set(node.key, node.label[0])
    clusters.forEach(note)
  }
  note(root)
  expect(edges.map(({ kind, from, to }) => `${names.get(from)} ${kind} ${names.get(to)}`)).toEqual([
    'service#web require file#/etc/motd',
    'service#web subscribe file#/etc/motd',
    'file#/etc/issue read file#/etc/motd',
    'apply#base.yaml require service#web',
    'apply#base.yaml apply manifest base.yaml',
    'control c-1 (high) support file#/etc/motd',
    'control c-1 (high) support service#web',
  ])
})

test('child manifests say how they are applied, and those that were not read say why', () => {
  const { root } = buildGraph(site, PLAIN)
  expect(root.label).toEqual(['policy site', 'site.yaml'])
  expect(root.clusters.map(({ label }) => label)).toEqual([
    ['manifest base.yaml', 'only audited', 'only health checks'],
  ])
  expect(root.nodes.filter(({ kind }) => kind === 'unread').map(({ label }) => label)).toEqual([
    ['apply#mail.yaml', 'not applicable: control.if is false: Data.mail'],
    ['apply#broken.yaml', 'not read: no such name; nor that'],
  ])
})

test('a manifest that is applied twice is drawn twice, each with keys of its own', () => {
  const child = childOf(policyOf([declare('file#/a'), declare('file#/b', { require: ['file#/a', 'file#/a'] })]))
  const policy = policyOf([declare('apply#x', { alias: 'one', id: 'apply#one' }), declare('apply#x')], {
    children: new Map([
      ['apply#one', child],
      ['apply#x', child],
    ]),
  })
  const { root, edges } = buildGraph(policy, PLAIN)
  const keys = [root, ...root.clusters].flatMap(({ key, nodes }) => [key, ...nodes.map((node) => node.key)])
  expect(new Set(keys).size).toBe(9)
  expect(edges.map(({ kind }) => kind)).toEqual(['require', 'apply', 'require', 'apply'])
})

test('a policy without resources still has something to draw', () => {
  expect(labelsOf(buildGraph(policyOf([]), PLAIN).root)).toEqual(['no resources'])
})

test('secrets of every manifest are left out of names and reasons', () => {
  const child = childOf(policyOf([declare('file#/etc/inner-secret')], { secrets: ['inner-secret'] }))
  const policy = policyOf([declare('file#/etc/outer-secret'), declare('apply#x'), declare('apply#y')], {
    secrets: ['outer-secret'],
    children: new Map([
      ['apply#x', child],
      ['apply#y', { kind: 'failed', reason: 'template', errors: ['cannot use outer-secret'] }],
    ]),
  })
  expect(labelsOf(buildGraph(policy, PLAIN).root)).toEqual([
    'file#/etc/(secret)',
    'apply#x',
    'apply#y / not read: cannot use (secret)',
    'file#/etc/(secret)',
  ])
})

test('ten thousand resources, each requiring the one before', () => {
  const { resources } = named(Array.from({ length: 10_000 }, () => '/srv'))
  const chained = resources.map((each, at) => ({ ...each, require: resources.slice(at - 1, at).map(({ id }) => id) }))
  const { root, edges } = buildGraph(policyOf(chained), PLAIN)
  expect(root.nodes).toHaveLength(10_000)
  expect(edges).toHaveLength(9_999)
})
