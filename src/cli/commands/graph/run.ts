import { EXIT } from '../../../model/gate.ts'
import { renderGraph } from '../../../engine/inspect/graph/index.ts'
import { withOne } from '../../load-one.ts'
import { loadingOf } from '../../options/loading.ts'
import type { Io } from '../../output/io.ts'
import type { GraphInvocation } from './index.ts'

/** Prints the graph of a policy and returns the exit code. */
export async function runGraph({ operands: [source = ''], options }: GraphInvocation, io: Io): Promise<number> {
  const loading = await loadingOf([source], options, 'graph', io)
  const code = await withOne({ ...loading, source }, async ({ policy }) => {
    await io.print(renderGraph(policy, { format: options.format, controls: options.controls }))
    return EXIT.ok
  })
  return code ?? EXIT.notPerformed
}
