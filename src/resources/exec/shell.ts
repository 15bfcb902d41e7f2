import { createProvider, type ExecProvider, type Interpretation } from './provider.ts'

/** Gives commands to `/bin/sh -c`, with everything a shell makes of them. */
export const shell: ExecProvider = createProvider('shell', interpret)

function interpret(line: string): Interpretation {
  if (line.trim() === '') return { ok: false, problem: undefined }
  return { ok: true, argv: ['/bin/sh', '-c', line], syntaxCheck: ['/bin/sh', '-n', '-c', line] }
}
