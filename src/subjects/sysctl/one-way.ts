/** Parameters with the values that the kernel keeps until it starts anew. @see Documentation/admin-guide/sysctl/kernel.rst */
const ONE_WAY: ReadonlyMap<string, RegExp> = new Map([
  ['kernel/modules_disabled', /^1$/],
  ['kernel/kexec_load_disabled', /^1$/],
  ['kernel/unprivileged_bpf_disabled', /^1$/],
  // @see Documentation/admin-guide/LSM/Yama.rst
  ['kernel/yama/ptrace_scope', /^3$/],
])

/** Why values that are to be set now cannot be taken back; undefined where they can. */
export function keptBecause(set: readonly { readonly path: string; readonly value: string }[]): string | undefined {
  const isKept = set.some(({ path, value }) => ONE_WAY.get(path)?.test(value.trim()) === true)
  return isKept ? 'the kernel keeps this value until reboot' : undefined
}
