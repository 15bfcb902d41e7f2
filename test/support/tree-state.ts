import { execFileSync } from 'node:child_process'

/**
 * Everything that is known of what is at a path and below it, as programs of the system tell it: kind, mode, owner, number of names,
 * content, where links lead, times of files, lists, attributes and capabilities. Two that are the same cannot be told apart by them.
 */
export function treeState(path: string): string {
  const run = (command: string): string =>
    execFileSync('sh', ['-c', command], { cwd: path, encoding: 'utf8', env: { ...process.env, PWD: path } })
  return [
    // The time of a directory is that of its last entry, which taking back makes anew.
    run(`find . ! -type d -printf '%P %y %m %U %G %n %s %T@ %l\\n' -o -printf '%P %y %m %U %G\\n' | sort`),
    run('find . -type f -exec sha256sum {} + | sort'),
    run('getfacl -R -P -n . 2>/dev/null | sort'),
    run('getfattr -R -P -h -d -m - -e hex . 2>/dev/null').split('\n\n').toSorted().join('\n'),
    // The names of one file, independent of its inode number.
    run(
      `find . -type f -links +1 -printf '%i %P\\n' | sort | awk '{ set[$1] = set[$1] " " $2 } END { for (i in set) print set[i] }' | sort`,
    ),
  ].join('\n')
}
