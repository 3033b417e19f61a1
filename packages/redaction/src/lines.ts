import { redacted, secretName } from './assignments.ts'
import type { Shape } from './shape.ts'

const kept = `$1${redacted}`

/**
 * Programs and their options whose values are secrets. `lead`: the harmless part of the value, such as a user name. `isAttached`: the value follows
 * the option without a space.
 */
const options: readonly { programs: string; names: string; lead?: string; isAttached?: true }[] = [
  { programs: 'curl|wget', names: '-u|-U|--user|--proxy-user', lead: '[^\\s:"\'/]{1,64}:(?!//)' },
  { programs: 'ncat|nc', names: '--proxy-auth', lead: '[^\\s:"\']{1,64}:' },
  { programs: 'lftp', names: '-u', lead: '[^\\s,"\']{1,64},' },
  { programs: 'openssl', names: '-k|-K' },
  { programs: 'zip|unzip|sqlcmd', names: '-P' },
  { programs: '7z[ar]?', names: '-p', isAttached: true },
  { programs: 'curl', names: '-b|--cookie', lead: '[^\\s="\']{1,64}=' },
  { programs: 'sshpass', names: '-p' },
  { programs: 'smbclient|smbget|rpcclient', names: '-U|--user', lead: '[^\\s%"\']{1,64}%' },
  { programs: 'snmp\\w{1,12}', names: '-c|-A|-X' },
  { programs: '(?:docker|podman|helm|skopeo|npm) login|useradd|usermod', names: '-p' },
  { programs: 'mysql\\w{0,8}|mariadb[\\w-]{0,8}', names: '-p', isAttached: true },
  { programs: 'mongo\\w{0,8}', names: '-p' },
  { programs: 'ipmitool|mosquitto_(?:pub|sub)', names: '-P' },
  { programs: 'redis-cli', names: '-a|--pass' },
  { programs: 'ldap(?:search|modify|add|delete|passwd|whoami)', names: '-w' },
  { programs: 'openssl', names: '-pass|-passin|-passout', lead: 'pass:' },
]

const anyProgram = `\\b(?:${options.map(({ programs }) => programs).join('|')})\\b`

const optionShapes = options.map(({ programs, names, lead = '', isAttached }): Shape => {
  const before = `\\b(?:${programs})\\b[^\\n|;&]{0,60}?[ \\t](?:${names})${isAttached ? '(?=\\S)' : '[ \\t=]{0,4}'}["']?${lead}`
  return {
    find: new RegExp(`(${before})[^\\s"']+`, 'g'),
    put: kept,
    hint: anyProgram,
    open: new RegExp(`(?<lead>${before})[^\\s"']+$`),
  }
})

const directives =
  'r[ow]community6?|requirepass|masterauth|bindpw|rootpw|wpa-psk|wireless-key|snmp-server[ \\t]+community|createuser[ \\t]+\\S{1,64}'
/** A heading with one of these names, followed by a line with a word that looks like a secret. */
const names = '(?:password|passwd|passphrase|secret|psk)'

/** Shapes of secrets that are recognised by the line they stand on. */
export const lineShapes: readonly Shape[] = [
  ...optionShapes,
  {
    find: new RegExp(
      `((?:^|[\\n\\r])[ \\t]{0,20}(?:${directives})[ \\t]{1,8})(?!(?:is|are|was|has|not)[ \\t])[^\\n\\r]+`,
      'gi',
    ),
    put: kept,
    hint: 'community6?[ \\t]|requirepass|masterauth|bindpw|rootpw|wpa-psk|wireless-key|createuser',
    open: new RegExp(`(?<lead>(?:^|[\\n\\r])[ \\t]{0,20}(?:${directives})[ \\t]{1,8})[^\\n\\r]+$`, 'i'),
  },
  {
    // The same names within a line, such as a line of a task, if the word looks like a secret.
    find: /((?<![\w-])(?:requirepass|masterauth|bindpw|rootpw)[ \t]{1,8})(?=[^\s,;:"'`]{0,64}[\d!@#$%^&*])[^\s,;:"'`]{4,}/gi,
    put: kept,
    hint: 'requirepass|masterauth|bindpw|rootpw',
    open: /(?<lead>(?<![\w-])(?:requirepass|masterauth|bindpw|rootpw)[ \t]{1,8})[^\s,;:"'`]*$/i,
  },
  {
    find: new RegExp(
      `((?:^|[\\n\\r])[ \\t]{0,20}${names}[ \\t]{1,8})(?=\\S{0,64}[\\d!@#$%^&*+=])[^\\s:=][^\\s]{3,}(?=[ \\t]{0,20}(?:[\\n\\r]|$))`,
      'gi',
    ),
    put: kept,
    open: new RegExp(`(?<lead>(?:^|[\\n\\r])[ \\t]{0,20}${names}[ \\t]{1,8})[^\\s:=]\\S*[ \\t]{0,20}$`, 'i'),
  },
  {
    // A heading, and a secret on the next line. Names of files are not redacted.
    find: new RegExp(
      `((?:^|[\\n\\r])[ \\t]{0,20}${names}[ \\t]{0,20}\\r?\\n[ \\t]{0,20})(?=\\S{0,64}\\d)(?=\\S{0,64}[a-z])(?!\\S{0,64}\\.\\w{2,4}(?:\\s|$))[^\\s#{[<|>&*:=-][^\\s:=]{5,}(?=[ \\t]{0,20}(?:[\\n\\r]|$))`,
      'gi',
    ),
    put: kept,
    open: new RegExp(
      `(?<lead>(?:^|[\\n\\r])[ \\t]{0,20}${names}[ \\t]{0,20})\\r?(?:\\n[ \\t]{0,20}\\S*[ \\t]{0,20})?$`,
      'i',
    ),
  },
  {
    find: /(\bidentified[ \t]{1,4}(?:with[ \t]{1,4}\S{1,40}[ \t]{1,4})?(?:by|as)[ \t]{1,4}(?:password[ \t]{1,4})?['"])[^'"\n]+/gi,
    put: kept,
    hint: 'identified[ \\t]',
    open: /(?<lead>\bidentified[ \t]{1,4}[^'"\n]{0,60}['"])[^'"\n]+$/i,
  },
  {
    // hostapd reads the rest of the line as the value.
    find: /((?<![\w-])(?:wpa_passphrase|sae_password)=)(?!\[redacted\])[^\n\r"\\]+/gi,
    put: kept,
    hint: 'wpa_passphrase=|sae_password=',
    open: /(?<lead>(?<![\w-])(?:wpa_passphrase|sae_password)=)[^\n\r"\\]*$/i,
  },
  {
    // Registry passwords in docker's config.json
    find: /("auth":[ \t]{0,4}")(?=[^"]{0,64}[A-Z])(?=[^"]{0,64}[\d=])[A-Za-z\d+/]{8,}={0,2}(?=")/g,
    put: kept,
    hint: '"auth":',
    open: /(?<lead>"auth":[ \t]{0,4}")[A-Za-z\d+/=]*$/,
  },
  {
    // ~/.netrc
    find: /(\blogin[ \t]{1,4}[^\s,;]{1,80}[ \t]{1,4}password[ \t]{1,4})\S+/gi,
    put: kept,
    open: /(?<lead>\blogin[ \t]{1,4}[^\s,;]{1,80}[ \t]{1,4}password[ \t]{1,4})\S+$/i,
  },
  {
    // XML
    find: new RegExp(
      `(<[\\w:.-]{0,32}${secretName}>\\s{0,40}(?:<!\\[CDATA\\[)?)[^<>\\s\\]][^<>\\]\\n]*?(?=\\s{0,40}(?:\\]\\]>)?</)`,
      'gi',
    ),
    put: kept,
    open: new RegExp(`(?<lead><[\\w:.-]{0,32}${secretName}>)\\s{0,40}(?:<!\\[?[CDAT[]{0,6})?[^<>]*<?$`, 'i'),
    ends: /(?=<)/,
  },
]
