import { expect, test } from 'vitest'
import { keptBecause } from '../../../src/subjects/sysctl/index.ts'

// Which of them cannot be set back is what the documentation of the kernel says.
test.each([
  ['kernel/modules_disabled', '1', true],
  ['kernel/kexec_load_disabled', '1', true],
  ['kernel/unprivileged_bpf_disabled', '1', true],
  ['kernel/unprivileged_bpf_disabled', '2', false],
  ['kernel/yama/ptrace_scope', '3', true],
  ['kernel/yama/ptrace_scope', '2', false],
  ['kernel/dmesg_restrict', '1', false],
])('whether the kernel keeps %s at %s until it starts anew: %s', (path, value, isKept) => {
  const set = [
    { path: 'kernel/dmesg_restrict', value: '1' },
    { path, value },
  ]
  expect(keptBecause(set) !== undefined).toBe(isKept)
  expect(keptBecause([])).toBeUndefined()
})
