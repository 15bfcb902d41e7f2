import process from 'node:process'

/** What is to be killed if this process ends first. */
const kills = new Set<() => void>()

function killAll(): void {
  for (const kill of kills) kill()
}

/**
 * Has something killed when this process ends, however it does unless by SIGKILL, and gives the function that takes that
 * back. One listener for all: Node takes many for a leak, and says so.
 */
export function endWithUs(kill: () => void): () => void {
  if (kills.size === 0) process.on('exit', killAll)
  kills.add(kill)
  return () => {
    kills.delete(kill)
    if (kills.size === 0) process.removeListener('exit', killAll)
  }
}
