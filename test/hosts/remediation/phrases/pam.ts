import { listed, type Phrase, valuesOf } from '../scripts.ts'

export const PAM_PHRASES: readonly Phrase[] = [
  [
    /^Where libpam-runtime has no such profiles?, create (?<profiles>.+)$/,
    ({ profiles }) => [
      profiles
        .split(/\) and (?=\/)/)
        .map((profile) => {
          const [, path = '', lines = '', priority = ''] =
            /^\/usr\/share\/pam-configs\/(\S+) with the lines? (.+) \(priority (\d+)\)?$/.exec(profile) ?? []
          const kinds = lines
            .split(/ and (?=(?:auth|account|password|session) )/)
            .map((each) =>
              each.replace(
                /^(\w)(\w+) (.*)$/,
                (_, first: string, rest: string, text: string) => `${first.toUpperCase()}${rest} '${text}'`,
              ),
            )
          return `pam_profile ${path} ${priority} ${kinds.join(' ')}`
        })
        .join('\n'),
    ],
  ],
  [/^Run (?<command>pam-auth-update --enable \w+(?: \w+)*)$/, ({ command }) => [command]],
  [
    /^Create the empty group (?<group>\w+) and add (?<line>auth .+) to (?<path>\S+) after the line of (?<module>\S+)$/,
    ({ group, line, path, module }) => [`groupadd -f ${group}; sed -i '/^auth.*${module}/a ${line}' ${path}`],
  ],
  [
    /^Remove (?<words>[a-z]\w+(?: and \w+)?) from (?<module>pam_unix)(?: in all services)?$/,
    ({ words, module }) => [
      listed(words)
        .split(' ')
        .map((word) => `sed -Ei '/${module}/s/ ${word}(=\\S+)?\\b//' /etc/pam.d/*`)
        .join('\n'),
    ],
  ],
  [
    /^Set (?<words>sha512 or yescrypt) for (?<module>pam_unix)$/,
    ({ words, module }) =>
      valuesOf(words).map(
        (word) =>
          `sed -Ei '/^password.*${module}/{s/ (md5|sha512|yescrypt)\\b//; s/$/ ${word}/}' /etc/pam.d/common-password`,
      ),
  ],
  [
    /^Set (?<word>use_authtok|enforce_for_root) for (?<module>pam_\w+)$/,
    ({ word, module }) => [`sed -Ei '/^password.*${module}/{/${word}/!s/$/ ${word}/}' /etc/pam.d/common-password`],
  ],
  [
    /^Add (?<module>pam_pwhistory) to the stack with (?<key>remember) of (?<value>\d+) or more$/,
    ({ module, key, value }) => [
      `sed -Ei '/^password.*${module}/{s/ ${key}=\\S+//; s/$/ ${key}=${value}/}' /etc/pam.d/common-password`,
    ],
  ],
]
