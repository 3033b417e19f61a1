import { redacted, secretName } from './assignments.ts'
import type { Shape } from './shape.ts'

const kept = `$1${redacted}`

/** Makes a shape. In a stream, the line is held back from the match of its hint to its end. */
const line = (find: RegExp, hint: string, put: Shape['put'] = kept): Shape => ({
  find,
  put,
  hint,
  open: 'line',
})
/** Returns a hint: spaces, then `next`. A hint's length is bounded, so 100 spaces count as a hint by themselves. */
const spaced = (next: string) => `(?:[ \\t]{1,99}${next}|[ \\t]{100})`
/** Tests if 13 characters are a hash of the old crypt(3), as htpasswd -d writes it, and not a name: not words, and not a word with a number. */
const isCryptHash = (word: string) =>
  /[A-Z]/.test(word) &&
  /[a-z]/.test(word) &&
  !/^[A-Za-z][a-z]+[A-Z]{0,4}\d+$/.test(word) &&
  (/[\d./]/.test(word) || word.replace(/[^A-Z]/g, '').length > 3)
/** Words before an `*` that show that a line is not of chap-secrets: `OPTIONS * HTTP/1.1`. */
const verbs = '(?:OPTIONS|GET|HEAD|POST|PUT|DELETE|PATCH|TRACE|CONNECT|PRAGMA)\\b'
const lineStart = '(?:^|[\\n\\r])[ \\t]{0,20}'
/** Matches the name of a secret and the space after it, such as `export DB_PASSWORD `, `neighbor 10.0.0.1 password `, `auth_pass `. */
const before = `${lineStart}(?:(?:export|set|setenv|env|arg|fastcgi_param|neighbor|wg|ups|AWS)\\b[ \\t.]?(?:[\\w.:-]{1,40}[ \\t]{1,4}){0,2})?[\\w.-]{0,40}(?:password|passwd|passphrase|secret(?:_access)?_key|secret|(?:private|encryption|master|account|access)[_-]key|auth_pass)[ \\t]{1,8}`

/** Match a heading of recovery codes, and one code. */
const codes = '\\b(?:recovery|backup|scratch|emergency)[ _-]?codes?\\\\?'
const code = '(?:\\[redacted\\]|(?=[\\w-]{0,12}\\d)[\\dA-Za-z]{4,}(?:-[\\dA-Za-z]{3,}){0,4})'

/** Shapes of secrets in the syntax of particular programs: in their files, and in commands that contain a secret. */
export const fileShapes: readonly Shape[] = [
  // Addresses
  line(
    /([?&#](?:[\w.-]{0,20}signature|key|auth|sig|sid)=)(?=[^\s&#]{0,64}\d)[^\s&#"'<>\\]{10,}/gi,
    '[?&#](?:[\\w.-]{0,20}signature|key|auth|sig|sid)=',
  ),
  line(
    /(#)(?<=[\w.][^\s#"'<>]{1,90}#)(?=\w{0,64}\d)(?=\w{0,64}[A-Z])(?=\w{0,64}[a-z])\w{20,}(?![\w=:/.-])/g,
    '#\\w{20}',
  ),
  line(/(:\/\/)(?=[^@\s/]{0,64}\d)[\w-]{20,}(?=@[\w.[])/g, '://[\\w-]{20}'),
  line(/(\/(?:with\/key|IncomingWebhook)\/)[\w-]{16,}/g, '/(?:with/key|IncomingWebhook)/'),
  line(/((?<![\w/])[\w.-]{1,64}:)[^\s:@/"']{4,}(?=@(?:tcp|unix)\()/g, '@(?:tcp|unix)\\('),
  line(/((?<![\w/])\w{1,32}\/)[^\s/@"':]{4,}(?=@\/\/)/g, '@//'),

  // A name whose value stands later on the line
  line(
    new RegExp(
      `(\\b(?:name|key)\\\\?["']?\\s{0,4}[:=]\\s{0,4}\\\\?["']?[\\w.-]{0,40}${secretName}\\\\?["']?[\\s,]{1,40}\\\\?["']?value\\\\?["']?\\s{0,4}[:=]\\s{0,4}\\\\?["']?)[^\\s"'\\\\<>{$]+`,
      'gi',
    ),
    '\\bvalue\\\\?["\']?\\s{0,4}[:=]',
  ),
  line(
    new RegExp(`(\\b(?:name|key)=["'][\\w.-]{0,40}${secretName}["'][^<>\\n]{0,40}>)[^<>\\n]+(?=</|$)`, 'gi'),
    '\\b(?:name|key)=["\']',
  ),

  // A name and its value, separated by spaces
  {
    find: new RegExp(
      `(${before})(?=[^\\s]{0,64}[\\d!@#$%^&*+=])(?![/~$<(:=])[^\\s:=;]{4,}={0,2}(?=;?[ \\t]{0,20}(?:[\\n\\r]|$))`,
      'gi',
    ),
    put: kept,
    hint: '(?:passw(?:or)?d|passphrase|secret|key|auth_pass)[ \\t]{1,8}[^\\s:=]',
    open: new RegExp(`(?<lead>${before})[^\\s:=]\\S*[ \\t]{0,20}$`, 'i'),
  },
  line(new RegExp(`(${lineStart}stats[ \\t]+auth[ \\t]+[^\\s:]{1,64}:)\\S+`, 'gi'), `stats${spaced('auth')}`),
  line(
    new RegExp(`(${lineStart}MONITOR[ \\t]+[^\\s@]+@\\S+[ \\t]+\\d+[ \\t]+\\S+[ \\t]+)\\S+`, 'g'),
    `MONITOR${spaced('(?:[^\\s@]{1,99}@|[^\\s@]{100})')}`,
  ),
  line(/(\]:\d{1,5}[ \t]+[^\s:]{1,128}:)\S{4,}/g, `\\]:\\d{1,5}${spaced('[^\\s:]{1,128}:')}`),
  line(
    new RegExp(
      `(${lineStart}[^\\s:]{1,128}:(?:5432|5433|6432|\\*):[^\\s:]{1,64}:[^\\s:]{1,64}:)[^\\s:]{4,}(?=[ \\t]*(?:[\\n\\r]|$))`,
      'g',
    ),
    ':(?:5432|5433|6432|\\*):[^\\s:]',
  ),
  line(
    new RegExp(
      `(${lineStart}["']?(?!${verbs})[\\w.@-]{1,64}["']?[ \\t]+["']?(?:\\*|pptpd|l2tpd|pppd)["']?[ \\t]+)(?:(?=["'])|(?![A-Z]{2,8}/\\d)(?=\\S*[A-Za-z])(?=\\S*\\d))\\S{6,}(?=(?:[ \\t]+["']?(?:\\*|\\d{1,3}\\.[\\d./-]{1,40})["']?)?[ \\t]{0,20}(?:[\\n\\r]|$))`,
      'g',
    ),
    '\\*["\']?[ \\t]{1,8}["\']?[^\\s*]{6}|(?:pptpd|l2tpd|pppd)[ \\t"]',
  ),
  line(
    new RegExp(
      `(${lineStart}\\d{1,5}[ \\t]+(?:SHA\\d{1,3}|MD5|AES\\d{3})[ \\t]+(?:HEX:|ASCII:)?)[^\\s:]{8,}(?=[ \\t]*(?:[\\n\\r]|$))`,
      'g',
    ),
    ['SHA\\d{1,3}', 'MD5', 'AES\\d{3}'].map((name) => name + spaced('\\S{8}')).join('|'),
  ),

  // Password hashes
  line(
    /((?:^|[\n\r])[ \t]{0,20}["']?(?:[^\s:"']{1,200}:){1,3})([./A-Za-z\d]{12}[.26AEIMQUYcgkosw])(?=["']?[ \t]{0,20}(?:[\n\r]|$))/g,
    ':[./A-Za-z\\d]{13}(?![\\w./])',
    (match, lead, hash) => (isCryptHash(hash) ? `${lead}${redacted}` : match),
  ),
  line(/((?:^|[\n\r:])\{(?:PLAIN|CLEAR(?:TEXT)?)\})\S{4,}/gi, '\\{(?:PLAIN|CLEAR)'),
  line(/((?:^|[\n\r])[\w.-]{1,32}:)[./A-Za-z\d]{13}(?=:\d{1,6}:\d{0,6}:\d{0,6}:)/g, ':\\d{1,6}:{3}'),
  line(/((?:^|[\n\r])[^\s:]{1,64}:\d{1,10}:)[\dA-FX]{32}:[\dA-F]{32}/gi, ':\\d{1,10}:[\\da-fx]{32}:'),
  line(/(\bPBKDF2\$\w{1,12}\$\d{1,9}\$)[\w+/=.]{4,}\$[\w+/=.]{8,}/g, 'PBKDF2\\$'),

  // Commands
  line(/(\bhtpasswd[ \t]+(?:-\w+[ \t]+){1,4}[^\s-]\S*[ \t]+\S+[ \t]+)["']?[^\s"']+/g, `htpasswd${spaced('-')}`),
  line(
    /(\becho[ \t]+(?:-\w+[ \t]+)?["']?(?:[\w.-]{1,32}:)?)[^\s|"']+(?=["']?[ \t]*\|[ \t]{0,8}(?:sudo[ \t]+)?(?:passwd\b|chpasswd|sudo[ \t]+-S|cryptsetup|docker login))/g,
    '[|][ \\t]{0,8}(?:sudo|ch?passwd|passwd|cryptsetup|docker login)',
  ),
  line(/(assword[^\n]{0,40}\bsend[ \t]+(?:--[ \t]+)?["'])[^"'\\\n]+/g, 'assword[^\\n]{0,40}\\bsend'),
  line(/(\/user:(?<=\bnet[ \t]{1,4}use[ \t][^\n]{0,80}\/user:)\S{1,80}[ \t]{1,8})[^\s/]\S*/gi, '/user:'),

  // Headers
  line(
    /(\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:digest|aws4-hmac-sha256|mediabrowser|emby|hawk|oauth|signature)[ \t]{1,4})[^\n\r]+/gi,
    'authorization',
  ),
  line(/(\bx-[\w-]{1,30}-key\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?)[^\s"'\\]{8,}/gi, 'x-[\\w-]{1,30}-key'),
  line(
    /(\bcookies?\\?["']?\s{0,4}[:=]\s{0,4}\\?["'])(?=[\w.%-]{1,64}=)[^"'\\\n]+/gi,
    'cookies?\\\\?["\']?\\s{0,4}[:=]',
  ),
  line(
    /(\b(?:j?session_?id|phpsessid|connect\.sid|asp\.net_sessionid|laravel_session)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[\w%.+/-]{16,}/gi,
    'session_?id|sessid|connect\\.sid|laravel_session',
  ),

  // One-time codes, their seeds and recovery codes
  line(
    /(\b(?:totp|otp|2fa|mfa|authenticator|setup)[ _-](?:seed|key|secret)[ \t]{0,4}[:=][ \t]{0,4}["']?)[A-Z2-7]{4}(?:[ -]?[A-Z2-7]{2,8}){2,400}[A-Z2-7]*=*/gi,
    '(?:otp|2fa|mfa|authenticator|setup)[ _-](?:seed|key|secret)',
  ),
  line(
    /(?<![\w])[A-Z2-7]{16,}(?=\r?\n" (?:RATE_LIMIT|WINDOW_SIZE|TOTP_AUTH|DISALLOW_REUSE|HOTP_COUNTER))/g,
    '\\n" [A-Z]',
    redacted,
  ),
  {
    // `[redacted]` counts as a code, so that a stream goes on redacting a list that is longer than the text it holds back.
    find: new RegExp(
      `(${codes}["']?[ \\t]{0,4}[:=]\\s{0,10}(?:[["'*-]\\s{0,4}){0,3})${code}(?:["',\\s*-]{1,12}${code}){0,4096}`,
      'gi',
    ),
    put: kept,
    hint: '(?:recovery|backup|scratch|emergency)[ _-]?codes?',
    // In a long list, only the last code can be unfinished.
    open: /(?<lead>(?:recovery|backup|scratch|emergency)[ _-]?codes?(?:(?=[\s\S]{401})[\s\S]{0,24576}[\s,"'*])?)[^a-z]?[\s\S]{0,400}$/i,
  },
  line(
    /(\b(?:recovery|unseal|root|emergency)[ _-](?:kit )?(?:key|token)(?:[ _-]?\d{1,2})?\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?)(?=[\w+/=-]{0,64}\d)[\w+/=.-]{16,}/gi,
    '(?:recovery|unseal|root|emergency)[ _-](?:kit )?(?:key|token)',
  ),
  line(
    /(\b(?:seed|recovery|mnemonic)[ _-](?:phrase|words)\\?["']?[ \t]{0,4}[:=]\s{0,4}\\?["']?)(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}/gi,
    '(?:seed|recovery|mnemonic)[ _-](?:phrase|words)',
  ),
  line(/(?<![\d-])\d{6}(?:-\d{6}){7}(?![\d-])/g, '-\\d{6}-\\d{6}-', redacted),
  line(
    /((?<![\w-])(?:pin|puk)\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?)\d{4,8}(?![\w.])/gi,
    '\\b(?:pin|puk)\\\\?["\']?[ \\t]{0,4}[:=]',
  ),

  // Proxmox: a token's secret beside its id, and in the table shown for a new token
  line(
    /((?<![\w.-])[\w.-]{1,64}@[\w.-]{1,32}![\w.-]{1,64}[ \t]{1,4})[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
    '@[\\w.-]{1,32}![\\w.-]{1,64}[ \\t]',
  ),
  line(/(\bvalue\W{1,40})[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=[^\da-f]{1,80}(?:full-)?tokenid)/gi, 'tokenid'),
  line(/(\bK10[\da-f]{64}::[\w-]{1,32}:)\S+/g, 'K10[\\da-f]{24}'),
]
