import { expect, test } from 'vitest'
import { parseAptPolicy } from '../../../../src/subjects/packages/live/apt.ts'
import { captured, everyVersion } from '../../../support/captured.ts'

/** The lines of apt that name a package or its candidate, which is all that these tests know of its format. */
function candidatesIn(text: string): readonly unknown[] {
  const names = [...text.matchAll(/^(\S+):$/gm)].map(([, name]) => name)
  const candidates = [...text.matchAll(/^ {2}Candidate: (.*)$/gm)].map(([, version]) => version)
  return names.map((name, index) => ({ name, candidate: candidates[index] }))
}

test.each(everyVersion('apt', 'policy'))(
  'every package has its candidate, unknown ones are left out: apt %s',
  (...row) => {
    const [version, { stdout, command }] = row
    const parsed = parseAptPolicy(stdout)
    expect(parsed.map(({ name, candidate }) => ({ name, candidate }))).toEqual(candidatesIn(stdout))
    const asked = command.slice(command.indexOf('--') + 1)
    expect(asked.filter((name) => !parsed.some((found) => found.name === name))).toEqual(['nosuch'])
    expect(parseAptPolicy(captured('apt', version, 'policy-of-nothing').stdout)).toEqual([])
  },
)
