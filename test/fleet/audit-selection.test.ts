import { expect, test } from 'vitest'
import type { AuditEntry, StoredEntry } from '../../src/fleet/nats/audit.ts'
import { type AuditSelection, selectEntries } from '../../src/fleet/nats/audit-selection.ts'

const DIGEST = '0123456789abcdef'.repeat(4)

function entry(id: string, said: Partial<AuditEntry>): StoredEntry {
  const whole = { schema: 'driftgate.audit/v1', act: 'assign', author: 'anna', about: 'ring.all', text: '' } as const
  return { storedAtMs: 0, said: { key: 'k', entry: { ...whole, id, at: '2026-11-20T00:00:00.000Z', ...said } } }
}

const FORGED: StoredEntry = { storedAtMs: 0, said: { message: 'nobody knows who' } }
const STORED = [
  entry('enrolled', { act: 'enrol', about: 'web1', text: 'joined ring all', at: '2026-11-01T00:00:00.000Z' }),
  entry('published', { act: 'publish', about: DIGEST, text: 'published the policy site' }),
  FORGED,
  entry('assigned', { text: `version 1: site ${DIGEST}; first` }),
  entry('of another host', { about: 'host.web10', text: 'version 2' }),
  entry('of a name within another', { about: 'host.web1-a', text: 'version 3' }),
  entry('rollout', { act: 'rollout', about: 'r1', text: 'started version 4 for canary (3 hosts), all (9 hosts)' }),
  entry('undated', { at: 'soon', about: 'db.1', text: '' }),
]

const shown = (selection: Partial<AuditSelection>): readonly string[] =>
  selectEntries(STORED, { acts: [], ...selection }).flatMap(({ said }) => ('entry' in said ? [said.entry.id] : []))

test.each<[string, Partial<AuditSelection>, readonly string[]]>([
  ['a host', { about: 'web1' }, ['enrolled']],
  ['a ring', { about: 'canary' }, ['rollout']],
  ['a ring as an addressee', { about: 'ring.all' }, ['assigned']],
  ['a ring by its name', { about: 'all' }, ['enrolled', 'assigned', 'rollout']],
  ['a digest', { about: DIGEST }, ['published', 'assigned']],
  ['the begin of a digest', { about: '01234567' }, ['published', 'assigned']],
  ['too few digits', { about: '0123456' }, []],
  ['signs that mean something elsewhere', { about: '.*' }, []],
  ['a name with a dot', { about: 'db.1' }, ['undated']],
  ['acts', { acts: ['enrol', 'rollout'] }, ['enrolled', 'rollout']],
  ['acts about a ring', { acts: ['assign'], about: 'all' }, ['assigned']],
  ['a time', { sinceMs: Date.parse('2026-11-02'), acts: ['enrol'] }, []],
  ['the moment itself', { sinceMs: Date.parse('2026-11-01'), acts: ['enrol'] }, ['enrolled']],
  ['an unknown act', { acts: ['explode'] }, []],
])('%s selects entries, and unproved entries are always included', (_what, selection, ids) => {
  expect(shown(selection)).toEqual(ids)
  expect(selectEntries(STORED, { acts: [], ...selection })).toContain(FORGED)
})

test('an entry with an invalid time is never left out', () => {
  expect(shown({ sinceMs: Date.parse('2027-01-01') })).toEqual(['undated'])
})
