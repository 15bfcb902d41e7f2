import process from 'node:process'

/** What is to be done if this process ends first. */
const duties = new Set<() => void>()

function doAll(): void {
  for (const duty of duties) duty()
}

/**
 * Has something done, such as a child killed, when this process ends, however it does unless by SIGKILL, and gives the
 * function that takes that back. One listener for all: Node takes many for a leak, and says so.
 */
export function endWithUs(duty: () => void): () => void {
  if (duties.size === 0) process.on('exit', doAll)
  duties.add(duty)
  return () => {
    duties.delete(duty)
    if (duties.size === 0) process.removeListener('exit', doAll)
  }
}
