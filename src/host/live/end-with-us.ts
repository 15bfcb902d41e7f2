import process from 'node:process'

/** Cleanup functions for the end of this process. */
const duties = new Set<() => void>()

function doAll(): void {
  for (const duty of duties) duty()
}

/**
 * Registers exit cleanup, such as killing a child (not run on SIGKILL), and returns a function that unregisters it.
 * Uses one listener: Node warns about a leak if there are many.
 */
export function endWithUs(duty: () => void): () => void {
  if (duties.size === 0) process.on('exit', doAll)
  duties.add(duty)
  return () => {
    duties.delete(duty)
    if (duties.size === 0) process.removeListener('exit', doAll)
  }
}
