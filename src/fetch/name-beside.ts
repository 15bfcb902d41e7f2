import { posix } from 'node:path'

/** What stands between the name of a bundle and that of a file in it. */
const IN_BUNDLE = '!/'

/** How the operator would name a file that a policy names, from what they call the policy. */
export function nameBeside(policy: string, path: string): string {
  if (path.startsWith('/')) return path
  const start = policy.lastIndexOf(IN_BUNDLE)
  const bundle = start < 0 ? '' : policy.slice(0, start + IN_BUNDLE.length)
  return bundle + posix.join(posix.dirname(policy.slice(bundle.length)), path)
}
