import { redacted } from './assignments.ts'
import { base64Shape } from './base64.ts'
import { fileShapes } from './files.ts'
import { homelabShapes } from './homelab.ts'
import { keyName } from './keys.ts'
import { lineShapes } from './lines.ts'
import type { Shape } from './shape.ts'

/** Matches the start of a word. The look-behind keeps `task-…` from matching as `sk-…`, and keeps the search linear. */
const start = '(?<![\\w-])'
const kept = `$1${redacted}`
const uuid = '[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{12}'

/** Tokens that are recognised by a prefix: the prefix, and the pattern of the rest. */
const tokens: readonly (readonly [begins: string, rest: string])[] = [
  ['eyJ', '[\\w-]{4,}\\.[\\w-]{2,}\\.[\\w-]*'],
  ['(?:AKIA|ASIA)', '[A-Z\\d]{16}(?![\\w-])'],
  ['gh[pousr]_', '\\w{20,}'],
  ['github_pat_', '\\w{20,}'],
  ['gl(?:pat|dt|rt|ft|soat|cbt|ptt)-', '[\\w.-]{16,}'],
  ['glsa_', '\\w{20,}'],
  ['xox[abeoprs]-', '[\\w-]{10,}'],
  ['xapp-', '[\\w-]{10,}'],
  ['sk-ant-', '[\\w-]{8,}'],
  ['sk-(?:proj|svcacct|admin|or)-', '[\\w-]{16,}'],
  // Ordinary words can begin with `sk-`. A key of this form has a digit and no hyphen.
  ['sk-', '(?=[A-Za-z]{0,64}\\d)[A-Za-z\\d]{20,}'],
  ['[rs]k_(?:live|test)_', '\\w{16,}'],
  ['gsk_', '[A-Za-z\\d]{20,}'],
  ['xai-', '[A-Za-z\\d]{20,}'],
  ['nvapi-', '[\\w-]{20,}'],
  ['r8_', '[A-Za-z\\d]{20,}'],
  ['jarvis_', '[A-Za-z\\d]{38}(?!\\w)'],
  ['jmcp_', '[\\w-]{8,}'],
  ['jm[ar]t_', '[\\w-]{8,}'],
  ['AIza', '[\\w-]{30,}'],
  ['GOCSPX-', '[\\w-]{20,}'],
  ['ya29\\.', '[\\w.-]{20,}'],
  ['hf_', '[A-Za-z\\d]{24,}'],
  ['npm_', '[A-Za-z\\d]{30,}'],
  ['do[opr]_v1_', '[\\da-f]{32,}'],
  ['dckr_(?:pat|oat)_', '[\\w-]{16,}'],
  ['tskey-', '[\\w-]{12,}'],
  ['pypi-', '[\\w-]{30,}'],
  ['rubygems_', '[\\da-f]{20,}'],
  ['shp(?:at|ca|pa|ss)_', '[\\da-f]{20,}'],
  ['lin_api_', '\\w{20,}'],
  ['hv[bsr]\\.', '[\\w-]{20,}'],
  ['SG\\.', '[\\w-]{16,}\\.[\\w-]{16,}'],
  ['ATATT3', '[\\w=-]{20,}'],
  ['xoxe\\.xox[bp]-', '[\\w-]{10,}'],
  ['tk_', '[a-z\\d]{20,}(?!\\w)'],
  ['ops_eyJ', '[\\w=-]{20,}'],
  ['glc_eyJ', '[\\w=-]{20,}'],
  ['sk-lf-', '[\\da-f-]{30,}'],
  ['whsec_', '[\\w+/=]{16,}'],
  ['sq0[ci]sp-', '[\\w-]{20,}'],
  ['sbp_', '[\\da-f]{30,}'],
  ['pscale_(?:tkn|pw|oauth)_', '\\w{16,}'],
  ['PMAK-', '[\\da-f-]{40,}'],
  ['dp\\.(?:pt|st|ct|sa)\\.', '[\\w.]{30,}'],
  ['NRAK-', '[A-Z\\d]{20,}'],
  ['FLWSECK(?:_TEST)?-', '[\\w-]{20,}'],
  ['ATCTT3', '[\\w=-]{20,}'],
  ['sgp_', '[\\da-f_]{30,}'],
  ['pul-', '[\\da-f]{30,}'],
  ['eyJhIjoi', '[A-Za-z\\d+/=_-]{24,}'],
  ['AGE-PLUGIN-[A-Z\\d]{1,20}-1', '[A-Z\\d]{16,}'],
  // Backblaze
  ['K00\\d', '[A-Za-z\\d+/]{27}(?![\\w+/])'],
  ['key-', '[\\da-f]{32}(?![\\w-])'],
  ['AGE-SECRET-KEY-1', '[A-Z\\d]{20,}'],
]
const begins = `${start}(?:${tokens.map(([begin]) => begin).join('|')})`

/** Shapes of secrets that are recognised by their form or by the text before them, anywhere in a text. */
const ownShapes: readonly Shape[] = [
  {
    find: new RegExp(`-{4,5} ?BEGIN ${keyName}[\\s\\S]*?(?:-{4,5} ?END ${keyName}|$)`, 'g'),
    put: redacted,
    // `redactHeadlessKeys` redacts a key if only the key's end is in the text.
    hint: '---- ?(?:BEGIN|END) ',
    open: /-{4,5} ?BEGIN[\w -]{0,60}$/,
  },
  {
    find: /(Private-Lines: \d{1,3}\r?\n)[A-Za-z\d+/=\r\n]+(?:\n|$)/g,
    put: `${kept}\n`,
    hint: 'Private-Lines:',
    open: /(?<lead>Private-Lines: )[\dA-Za-z+/=\r\n]*$/,
    ends: /(?=Private-|[^\dA-Za-z+/=\r\n])/,
  },
  {
    find: /(P[BV]EAPIToken[=: ][^\s!"']{1,100}![^\s=:"']{1,64}[=:])[^\s"',;]+/g,
    put: kept,
    hint: 'EAPIToken',
    open: /(?<lead>P[BV]EAPIToken[=: ])\S*$/,
  },
  {
    find: new RegExp(`(@[\\w.-]{1,32}![\\w.-]{1,64}=)${uuid}`, 'gi'),
    put: kept,
    hint: '@[\\w.-]{1,32}!',
    open: /(?<lead>@[\w.-]{1,32}![\w.-]{1,64}=)[\da-f-]{1,36}$/i,
  },
  {
    // Proxmox's answer with a new token
    find: new RegExp(`(full-tokenid[^{}]{0,64}\\bvalue\\W{1,16})${uuid}`, 'gi'),
    put: kept,
    hint: 'full-tokenid',
    open: /(?<lead>full-tokenid[^{}]{0,64}\bvalue\W{1,16})[\da-f-]{1,36}$/i,
  },
  {
    find: /(P[BV]EAuthCookie["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"',;]+/g,
    put: kept,
    hint: 'EAuthCookie',
    open: /(?<lead>P[BV]EAuthCookie["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"',;]+$/,
  },
  {
    find: /(?<!\w)(?:PVE|PBS|PMG)(?:VNC)?(?::(?:[^\s:]{1,80}:)?[\dA-F]{8}::|%3A[\w.@%+-]{1,80}?%3A%3A)[A-Za-z\d+/=%]{16,}/g,
    put: redacted,
    hint: 'P[BVM][ESG](?:VNC)?(?:%3A|:[^\\s:]{1,80}@|:[\\dA-F]{8}::)',
    open: /(?<!\w)(?:PVE|PBS|PMG)(?:VNC)?(?::|%3A)\S+$/,
  },
  {
    find: /(\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|bot|token|digest|negotiate|ntlm|apikey)[ \t]{1,4}|(?=[^\s"'\\,]{0,64}\d)(?=[\w.~+/=-]{16})))[^\s"'\\,]+/gi,
    put: kept,
    hint: 'authorization',
    open: /(?<lead>\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[^\s"'\\,]+(?:\s{1,4}[^\s"'\\,]*)?$/i,
  },
  {
    find: /(\bbearer[ \t]{1,4})(?=[\w.~+/=-]{0,64}\d)[\w.~+/=-]{16,}/gi,
    put: kept,
    hint: 'bearer',
    open: /(?<lead>\bbearer[ \t]{1,4})[\w.~+/=-]+$/i,
  },
  {
    find: /((?:^|[\n\r]|[<>] )(?:set-)?cookie:[ \t]{0,4})[^\n\r]+/gi,
    put: kept,
    hint: 'cookie:',
    open: /(?<lead>cookie:[ \t]{0,4})[^\n\r]+$/i,
  },
  {
    find: /((?<!\w)(?:set-)?cookie:[ \t]{0,4})(?=[\w.-]{1,64}=)[^\n\r"']+/gi,
    put: kept,
    hint: 'cookie:',
    open: /(?<lead>cookie:[ \t]{0,4})[^\n\r]+$/i,
  },
  {
    find: /(:\/\/[^\s:@/'"<>]{0,256}:)[^\s/'"<>]+@/g,
    put: `${kept}@`,
    hint: '://[^\\s/:]{0,256}:',
    open: /(?<lead>:\/\/[^\s:@/'"<>]{0,256}:)[^\s/'"<>]*$/,
  },
  {
    find: /(hooks\.slack\.com\/services\/|discord(?:app)?\.com\/api\/webhooks\/\d{1,32}\/)[\w/-]{16,}/g,
    put: kept,
    hint: 'hooks\\.slack|/webhooks/',
    open: /(?<lead>hooks\.slack\.com\/services\/|\/api\/webhooks\/\d{1,32}\/)[\w/-]+$/,
  },
  {
    find: /(?<!\d)(\d{8,10}:)AA[\w-]{30,}/g,
    put: kept,
    hint: ':AA[\\w-]{30}',
    open: /(?<!\d)(?<lead>\d{8,10}:)A[\w-]*$/,
  },
  {
    // Ceph keys: version, time and sixteen bytes
    find: /(?<![\w-])AQ[A-D][A-Za-z\d+/]{35}==/g,
    put: redacted,
    hint: '\\bAQ[A-D][\\w+/]',
    open: /(?<![\w-])AQ[A-D][A-Za-z\d+/]*=?$/,
  },
  {
    // Hashes of crypt(3), htpasswd and LDAP. Compose files write each `$` twice, and shells write `\$`.
    find: /(?<![\w$\\])(?:\\{0,2}\$){1,2}(?:[1567y]|gy|2[abxy]|apr1|argon2(?:id|i|d)|scrypt|pbkdf2-?\w{0,10})\\{0,2}\$[\w./$=,+\\-]{16,}/g,
    put: redacted,
    hint: '\\$(?:[1567y]|gy|2[abxy]|apr1|argon2|scrypt|pbkdf2)',
    open: /(?<![\w$\\])(?:\\{0,2}\$){1,2}(?:[1567y]|gy|2[abxy]|apr1|argon2\w{0,2}|scrypt|pbkdf2-?\w{0,10})\\{0,2}\$[\w./$=,+\\-]*$/,
  },
  {
    find: /(\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]{0,10})\})[A-Za-z\d+/=$.]{13,}/gi,
    put: kept,
    hint: '\\{(?:S?SHA|S?MD5|CRYPT|PBKDF2)',
    open: /(?<lead>\{[A-Z][\w-]{2,18}\})[A-Za-z\d+/=$.]*$/i,
  },
  {
    find: /(\b(?:private|pre-?shared) key: )[A-Za-z\d+/]{42,43}={0,2}/gi,
    put: kept,
    hint: '(?:private|shared) key:',
    open: /(?<lead>\b(?:private|pre-?shared) key: )[A-Za-z\d+/=]+$/i,
  },
  {
    find: /(\b[Pp]ass(?:word|wort|phrase) (?:is|ist|was|war):?\s{1,8})(?=[^\s]{0,64}\d)(?=[^\s]{0,64}[A-Z!@#$%^&*])[^\s"'`,;]{6,}/g,
    put: kept,
    open: /(?<lead>\b[Pp]ass(?:word|wort|phrase) (?:is|ist|was|war):?\s{1,8})(?=\S*[\dA-Z!@#$%^&*])\S+$/,
  },
  {
    find: new RegExp(`${start}(?:${tokens.map(([begin, rest]) => begin + rest).join('|')})`, 'g'),
    put: redacted,
    hint: begins,
    open: new RegExp(`${begins}[\\w.-]*$`),
  },
]

/** A user name and a password in base64, as in Basic authentication and in docker's config. */
const pairShape: Shape = {
  find: /((?<![a-z])(?:_?auth|x-auth(?:-\w{1,20})?|basic|\.?dockerconfigjson)\\{0,7}["']?[ \t]{0,4}[:= ][ \t]{0,4}\\{0,7}["']?)([A-Za-z\d+/]{8,}={0,2})(?![\w+/=])/gi,
  put: (match, lead, coded) => (isPair(coded) ? `${lead}${redacted}` : match),
  hint: '(?:auth|basic|configjson)\\\\{0,7}["\']?[ \\t]{0,4}[:= ][ \\t]{0,4}\\\\{0,7}["\']?[a-z\\d+/]{8}',
  open: /(?<lead>(?:auth|basic|configjson)\\{0,7}["']?[ \t]{0,4}[:= ][ \t]{0,4}\\{0,7}["']?)[A-Za-z\d+/=]+$/i,
}
const isPair = (coded: string) =>
  /^(?:[\w.@+-]{0,64}:[!-~]{2,}|\{.{0,40}"auths?".*\})\s*$/s.test(Buffer.from(coded, 'base64').toString('latin1'))

export const shapes: readonly Shape[] = [
  ...fileShapes,
  pairShape,
  ...ownShapes,
  ...homelabShapes,
  base64Shape,
  ...lineShapes,
]
