import { expect, test } from 'vitest'
import { renderReport } from '../../src/report/index.ts'
import { controlResult, policyResult, resourceResult, runOf } from '../support/run.ts'

const ids = Array.from({ length: 30 }, (_, index) => `ssh-hardening-${index + 10}`)

/** The line that says that a resource drifts, by format. */
const LINES: Readonly<Record<string, RegExp>> = {
  github: /^::warning .*title=(.*?)::/,
  junit: /<testcase name="([^"]*)"/,
  tap: /^not ok \d+ - (.*)$/,
}

test.each(Object.entries(LINES))(
  'a resource of many controls is named at the start of its line in %s',
  async (format, line) => {
    const resources = ['/etc/passwd', '/etc/group'].map((name) =>
      resourceResult({
        name,
        verdict: 'drifted',
        change: 'will',
        drift: [{ property: 'mode', desired: '0600', observed: '0644' }],
        controls: ids,
      }),
    )
    const controls = ids.map((id) =>
      controlResult({ id, verdict: 'drifted', resources: resources.map((each) => each.id) }),
    )
    const text = await renderReport(runOf({ policies: [policyResult({ resources, controls })] }), format)
    const names = text
      .split('\n')
      .flatMap((each) => line.exec(each)?.[1] ?? [])
      .map((name) => name.replaceAll('%2C', ',').replaceAll(String.raw`\#`, '#'))
    for (const name of ['file#/etc/passwd', 'file#/etc/group']) {
      const own = names.filter((each) => each.includes(name))
      expect(own).toHaveLength(1)
      expect(own[0]?.indexOf(name)).toBeLessThan(140)
      expect(own[0]).toContain('and 26 more')
    }
  },
)
