import { listed, pathsOf, type Phrase, valueOf } from '../scripts.ts'

export const FILES_PHRASES: readonly Phrase[] = [
  [/^Write the banner of your organisation to (?<path>\S+)$/, ({ path }) => [`echo '${valueOf('banner')}' >${path}`]],
  [/^its text is policy data \(banner\)$/, () => ['']],
  [
    /^Remove such details from (?<dir>\S+), too(?:, and the executable bits from (?<names>.+) in (?<other>\S+))?$/,
    ({ dir, names, other }) => [
      `rm -f ${dir}/*\n${listed(names)
        .split(' ')
        .filter(Boolean)
        .map((name) => `[ ! -e ${other}/${name} ] || chmod a-x ${other}/${name}`)
        .join('\n')}`,
    ],
  ],
  [
    /^Where (?<program>\w+) is installed, create (?<path>\S+) \((?<owner>\w+), group (?<group>\w+), (?<mode>\d+) at most\)(?: and remove (?<other>\S+) or run (?<first>chown \S+) and (?<second>chmod \d+) on it)?$/,
    ({ path, owner, group, mode, other, first, second }) => {
      const made = `touch ${path}; chown ${owner}:${group} ${path}; chmod ${mode} ${path}`
      if (other === '') return [made]
      return [`${made}; rm -f ${other}`, `${made}; [ ! -e ${other} ] || { ${first} ${other}; ${second} ${other}; }`]
    },
  ],
  [
    /^Run (?<first>(?:chown|chgrp|chmod) \S+)(?: or stricter)? on the files(?<both> and their directory)? and (?<second>(?:chown|chgrp|chmod) \S+) on (?<whose>the|their) director(?:y|ies)$/,
    ({ first, both, second, whose }, reported) => [
      `for path in ${pathsOf(reported)}; do
        parent=${whose === 'the' && both === '' ? '$path' : '$(dirname $path)'}
        ${both === '' ? `[ -d $path ] || ${first} $path` : `${first} $path $parent`}
        [ ! -d $parent ] || ${second} $parent
      done`,
    ],
  ],
  [
    /^Find the origin .+, then remove it or run (?<command>chmod \S+) on it$/,
    ({ command }, reported) => [`${command} ${pathsOf(reported)}`],
  ],
  [
    /^Run (?<one>chown -R \S+) on (?<path>\S+) and (?<directory>\S+), (?<first>chmod \S+) on the directory and (?<mode>chmod \d+) on the files$/,
    ({ one, path, directory, first, mode }) => [
      `${one} ${path} ${directory}; ${first} ${directory}; ${mode} ${path} ${directory}/*`,
    ],
  ],
  [
    /^Run (?<commands>(?:chown|chgrp|chmod) \S+(?:(?:, | and )(?:chown|chgrp|chmod) \S+)*)(?: or stricter)?(?: on (?<where>.+))?$/,
    ({ commands, where }, reported) => {
      const paths = /^\/\S+$/.test(where) ? where : pathsOf(reported)
      return [listed(commands).replaceAll(/(ch\w+ \S+) ?/g, `$1 ${paths}\n`)]
    },
  ],
]
