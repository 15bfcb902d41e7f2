import { execFileSync } from 'node:child_process'
import process from 'node:process'
import { expect, test } from 'vitest'
import { findSystemProgram } from '../../../src/host/live/system-programs.ts'
import { bundle } from '../../support/bundle.ts'
import { needsRoot } from '../../support/temporary.ts'

const skipped = needsRoot ?? (findSystemProgram('unshare') === undefined ? 'needs unshare' : undefined)

// Linux, ip-sysctl.rst: a change of ip_forward "resets all configuration parameters to their default state".
test.skipIf(skipped)(
  `forwarding that is switched leaves the acceptance of redirects as it was (${skipped ?? 'root'})`,
  async () => {
    const program = await bundle(`
      import { readFileSync } from 'node:fs'
      import { createKernelParameterControl } from './src/subjects/sysctl/live.ts'
      const { set } = createKernelParameterControl()
      const seen = []
      for (const redirects of ['0', '1'])
        for (const name of ['ip_forward', 'conf/all/forwarding'])
          for (const value of ['1', '0']) {
            await set('net/ipv4/conf/all/accept_redirects', redirects)
            await set('net/ipv4/' + name, value)
            const now = ['ip_forward', 'conf/all/accept_redirects'].map((each) => readFileSync('/proc/sys/net/ipv4/' + each, 'utf8').trim())
            seen.push(now.join('') === value + redirects)
          }
      console.log(JSON.stringify(seen))
    `)
    const seen = execFileSync('unshare', ['--net', process.execPath, program.file], { encoding: 'utf8' })
    program.remove()
    expect(JSON.parse(seen)).toEqual(Array.from({ length: 8 }, () => true))
  },
)
