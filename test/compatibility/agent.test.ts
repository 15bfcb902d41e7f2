import { expect, test } from 'vitest'
import { readCcmAgent } from '../../src/runs/watch/ccm-agent.ts'

test('interval and context of an agent are used', () => {
  expect(readCcmAgent('agent.yaml', 'manifests: [a.yaml]\ninterval: 30s\nnats_context: SITE\n')).toMatchObject({
    ok: true,
    value: { interval: '30s', context: 'SITE' },
  })
})

test('an unknown key of an agent is an error', () => {
  expect(readCcmAgent('agent.yaml', 'manifests: [a.yaml]\ninterfal: 30s\n')).toMatchObject({
    ok: false,
    problems: [{ message: 'unknown key "interfal", did you mean "interval"?' }],
  })
})

test('an agent without manifests is an error', () => {
  expect(readCcmAgent('agent.yaml', '{}\n')).toMatchObject({
    ok: false,
    problems: [{ message: 'manifests must be a list of the manifests to watch' }],
  })
})
