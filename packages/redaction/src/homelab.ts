import { isSecretKey, redacted, secretName } from './assignments.ts'
import type { Shape } from './shape.ts'

const kept = `$1${redacted}`
/** Makes a shape. In a stream, the line is held back from the match of its hint to its end. */
const line = (find: RegExp, hint: string, put: Shape['put'] = kept): Shape => ({ find, put, hint, open: 'line' })
const lineStart = '(?:^|[\\n\\r])[ \\t]{0,20}'
const lineEnd = '(?=[ \\t]{0,20}(?:[\\n\\r]|$))'
/** Matches a percent-encoded character of a URL, also if it is encoded twice or three times. */
const coded = (codes: string) => `%(?:25){0,2}(?:${codes})`

/** Tests if the value of a name is secret. Both are encoded as in a URL. */
function isSecretInUrl(name: string, value: string): boolean {
  let plain = value
  try {
    plain = decodeURIComponent(value)
  } catch {
    // A value that cannot be decoded is judged as it is.
  }
  return isSecretKey(name, plain)
}

/** Tests if a word is a Ceph key, by its decoded fields: version, time, length and bytes. */
function isCephKey(word: string): boolean {
  const bytes = Buffer.from(decodePadding(word), 'base64')
  if (bytes.length < 12) return false
  const [type, length] = [bytes.readUInt16LE(0), bytes.readUInt16LE(10)]
  return ((type === 1 && length === 16) || (type === 2 && length === 32)) && bytes.length === 12 + length
}
const decodePadding = (word: string) => word.replace(/%3d/gi, '=')

/** Tests if a word is a Discord bot's token, which begins with the bot's id in base64. */
const isDiscordToken = (word: string) =>
  /^\d{17,20}$/.test(Buffer.from(word.slice(0, word.indexOf('.')), 'base64').toString('latin1'))

const harmlessWord =
  /^(?:auth(?:entication|entifizierung)?|changed|correct|denied|disabled|enabled|expired|expires|failed|file|for|has|hash|hint|in|incorrect|invalid|is|login|manager|missing|must|needed|not|or|policy|prompt|protected|required|reset|rotation|screen|set|store|too|wrong)$/i
/**
 * Tests if the word that a sentence gives as a password looks like one. `isListed`: a `/` or `|` stands between user and password, or the word ends
 * its line.
 */
const isSaidPassword = (word: string, isListed: boolean) =>
  word.length >= 4 && !harmlessWord.test(word.replace(/:$/, '')) && (isListed || /[\d!@#$%^&*]/.test(word))

const said =
  '(?<![\\w-])(?:log ?in|user(?:name)?|benutzer(?:name)?|account)[:=]?[ \\t]{1,4}(?:(?:as|with|is|mit|als)[ \\t]{1,4})?["\'`]?[\\w.@-]{1,64}["\'`]?[ \\t]{0,4}'
const sayingHow =
  '(?:[/,;|+&]|and\\b|und\\b|with\\b|mit\\b)?[ \\t]{0,4}(?:pass(?:word|wort|wd|phrase)?|pwd?|kennwort)[:=]?[ \\t]{1,4}["\'`]?'

const passwordIs = '\\b(?:[Pp]ass(?:word|wort|phrase)|[Kk]ennwort)[ \\t]{1,4}(?:is|was|ist|war|lautet):?[ \\t]{1,4}'
/** Nouns that say something about a password and are none. German writes nouns with a capital letter. */
const saidOf =
  '(?:Aufgabe|Bedingung|Bestandteil|Blödsinn|Fehlanzeige|Geheimnis|Geheimsache|Geschichte|Glückssache|Grundlage|Pflicht|Pflichtfeld|Privatsache|Problem|Quatsch|Sache|Schrott|Standard|Teil|Thema|Unsinn|Vergangenheit|Vertrauenssache|Voraussetzung|Vorgabe|Vorschrift|Zufall)'

/**
 * Names of keys of radio networks. A value is recognised by the name and the number of its bytes. The names are also read in JSON, where keys are
 * lists of numbers.
 */
const radioName =
  '(?:network_?key|network_?key_?s[02]|s[02]_(?:legacy|unauthenticated|authenticated|access_?control)(?:_?key)?)'
const radioKey = new RegExp(`^${radioName}$`, 'i')
export const isRadioKey = (key: string): boolean => radioKey.test(key)
const byte = '(?:0x)?[\\da-f]{1,3}'

/** Shapes of secrets in links, of bots and of storage, in any text. */
const anywhere: readonly Shape[] = [
  line(/(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}/g, '\\.[\\w-]{6}\\.[\\w-]{8}', (match) =>
    isDiscordToken(match) ? redacted : match,
  ),
  line(/(?<![\w.-])mfa\.[\w-]{60,}/g, '\\bmfa\\.[\\w-]{8}', redacted),
  line(
    /(?<![\w+/-])A[Qg][A-Za-z\d+/]{36,57}(?:={1,2}|(?:%3D){1,2}|(?![\w+/-]))/gi,
    '\\bA[Qg][A-Za-z\\d+/]{16}',
    (match) => (isCephKey(match) ? redacted : match),
  ),
  // Only the browser reads the part after #.
  line(
    /(#[^\s"'<>#]{0,100}[/,&?;](?:key|k|pass|secret|token)=)[\w%+/=.~-]{8,}/gi,
    '[/,&?;](?:key|k|pass|secret|token)=',
  ),
  line(/(#(?:\/send\/[\w-]{1,64}\/|room=[\w-]{1,64},))[\w-]{16,}/g, '#(?:/send/|room=)'),
  line(
    new RegExp(
      `(${secretName})((?:${coded('22')})?(?:${coded('3D|3A')})(?:${coded('20|22')}|\\+)?)((?:[\\w.~*!-]|%(?!(?:25){0,2}(?:26|22|3B|2C|7D|23|20|0A|27|5D))){2,})`,
      'gi',
    ),
    coded('3D|3A'),
    (match, name, sign) => {
      const value = match.slice(name.length + sign.length)
      return isSecretInUrl(name, value) ? `${name}${sign}${redacted}` : match
    },
  ),
  line(
    new RegExp(
      `(${coded('3A')}${coded('2F')}${coded('2F')}[\\w.-]{0,64}${coded('3A')})[\\w.~*!-]+(?=${coded('40')})`,
      'gi',
    ),
    `${coded('2F')}${coded('2F')}`,
  ),
  // A user and a password in a sentence
  {
    find: new RegExp(`(${said})(${sayingHow})[^\\s"'\`,;)]{4,}(?=(\\.?[ \\t]{0,20}(?:[\\n\\r]|$))|)`, 'gi'),
    // biome-ignore lint/complexity/useMaxParams: `replace` gives the groups of the pattern one by one
    put: (match, user, how, ends) =>
      isSaidPassword(match.slice(user.length + how.length), /^[/|]/.test(how) || ends !== undefined)
        ? `${user}${how}${redacted}`
        : match,
    hint: '(?:passw|(?:pass|pwd?|kennwort)[:= \\t])',
    open: new RegExp(`(?<lead>${said}${sayingHow})[^\\s"'\`,;)]+$`, 'i'),
  },
  // A word in quotes, or a name in an English sentence
  {
    find: new RegExp(`(${passwordIs})(["'\`])(?!\\[redacted)[^"'\`\\n]{4,}(?=\\2)`, 'gi'),
    put: (_, lead, mark) => `${lead}${mark}${redacted}`,
    hint: passwordIs,
    open: new RegExp(`(?<lead>${passwordIs})["'\`][^"'\`\\n]*$`, 'i'),
  },
  {
    find: /(\b[Pp]ass(?:word|phrase)[ \t]{1,4}(?:is|was):?[ \t]{1,4})[A-Z][a-z]{4,}(?=[.,;!]?(?:[ \t]{0,4}[\n\r]|$))/g,
    put: kept,
    hint: passwordIs,
    open: new RegExp(`(?<lead>${passwordIs})[A-Z][a-z]*[.,;!]?[ \\t]{0,4}$`),
  },
  // After `lautet` or a colon comes the password itself. After `ist` alone, a noun at the end of its sentence is the password, unless the noun says
  // something about passwords.
  {
    find: /(\b(?:[Pp]asswort|[Kk]ennwort)[ \t]{1,4}(?:lautet:?|(?:ist|war):)[ \t]{1,4})(?!\[redacted|(?:anders|immer|jetzt|nicht|noch|weiterhin|wie)\b)[^\s"'`.,;!]{4,}/g,
    put: kept,
    hint: passwordIs,
    open: /(?<lead>\b(?:[Pp]asswort|[Kk]ennwort)[ \t]{1,4}(?:lautet:?|(?:ist|war):)[ \t]{1,4})[^\s"'`.,;!]*$/,
  },
  {
    find: new RegExp(
      `(\\b(?:[Pp]asswort|[Kk]ennwort)[ \\t]{1,4}(?:ist|war)[ \\t]{1,4})(?!${saidOf}(?![a-zäöüß]))[A-ZÄÖÜ][a-zäöüß]{4,}(?=[.,;!]?(?:[ \\t]{0,4}[\\n\\r]|$))`,
      'g',
    ),
    put: kept,
    hint: passwordIs,
    open: /(?<lead>\b(?:[Pp]asswort|[Kk]ennwort)[ \t]{1,4}(?:ist|war)[ \t]{1,4})[A-ZÄÖÜ][a-zäöüß]*[.,;!]?[ \t]{0,4}$/,
  },
  // An option and its value in a list that is not JSON: in another language, or in YAML
  line(
    new RegExp(`(["']--?[\\w-]{0,40}${secretName}["'],\\s{0,20}["'])((?!-)[^"'\\n]+)`, 'gi'),
    `["'],\\s{0,20}["']`,
    (match, lead, value) => (isSecretKey('password', value) ? `${lead}${redacted}` : match),
  ),
  {
    find: new RegExp(
      `(${lineStart}-[ \\t]{1,4}["']?--?[\\w-]{0,40}${secretName}["']?[ \\t]{0,4}\\r?\\n[ \\t]{0,20}-[ \\t]{1,4}["']?)(?!-)([^\\s"']+)`,
      'gi',
    ),
    put: (match, lead, value) => (isSecretKey('password', value) ? `${lead}${redacted}` : match),
    hint: '-[ \\t]{1,4}["\']?--?\\w',
    open: new RegExp(
      `(?<lead>${lineStart}-[ \\t]{1,4}["']?--?[\\w-]{0,40}${secretName}["']?)[ \\t]{0,4}\\r?(?:\\n[^\\n]*)?$`,
      'i',
    ),
  },
]

/** Shapes of secrets in the files of homelab programs. */
const files: readonly Shape[] = [
  // strongSwan
  line(
    /(:[ \t]{1,8}(?:PSK|EAP|XAUTH|NTLM|(?:RSA|ECDSA|P12|PKCS8|PIN)[ \t]{1,4}[^\s"]{1,64})[ \t]{1,8}["'])[^"'\n]+/g,
    ':[ \\t]{1,8}(?:PSK|EAP|XAUTH|NTLM|RSA|ECDSA|P12|PKCS8|PIN)[ \\t]',
  ),
  line(
    /((?:^|[\n\r]):[ \t]{1,8}(?:PSK|EAP|XAUTH|NTLM)[ \t]{1,8})[^\s"']+/g,
    ':[ \\t]{1,8}(?:PSK|EAP|XAUTH|NTLM)[ \\t]',
  ),
  line(/(:[ \t]{1,8}PSK[ \t]{1,8})0[xs][\w+/=]{6,}/g, 'PSK[ \\t]{1,8}0[xs]'),
  // Networks and radios
  line(/((?<![\w-])wep_key\d\\?["']?[ \t]{0,4}[=:][ \t]{0,4}\\?["']?)[^\s"'\\]+/gi, 'wep_key\\d'),
  {
    find: new RegExp(
      `((?<![\\w])${radioName}\\\\?["']?[ \\t]{0,4}[:=]\\s{0,20}\\\\?["']?\\[?\\s{0,8}(?:- {0,4})?)(?:${byte}(?:[,\\s]{1,12}(?:- {0,4})?${byte}){15}|[\\da-f]{32})(?![\\da-f])`,
      'gi',
    ),
    put: kept,
    hint: radioName,
    open: new RegExp(`(?<lead>(?<![\\w])${radioName})[^a-z]?[\\s\\S]{0,300}$`, 'i'),
  },
  line(
    /((?<![\w])(?:api_)?encryption\\?["']?:\s{0,20}(?:key:[ \t]{0,4})?\\?["']?)[A-Za-z\d+/]{43}=/gi,
    'encryption\\\\?["\']?:',
  ),
  line(
    /((?<![a-z])(?:alarm|disarm|door|gate|garage|lock)_(?:code|pin)\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?)\d{4,8}(?!\w)/gi,
    '(?:alarm|disarm|door|gate|garage|lock)_(?:code|pin)',
  ),
  // snmpd and Asterisk
  line(
    new RegExp(
      `(${lineStart}(?:com2sec6?[ \\t]{1,8}\\S{1,64}[ \\t]{1,8}\\S{1,64}|trapcommunity|(?:trap2?|inform)sink[ \\t]{1,8}\\S{1,64})[ \\t]{1,8})[^\\s#]+`,
      'gi',
    ),
    'com2sec|trapcommunity|(?:trap2?|inform)sink',
  ),
  line(/(\busmUser[ \t]{1,8})[^\n\r]+/g, 'usmUser'),
  line(/(\bregister[ \t]{0,8}=>?[ \t]{0,8}[^\s:@]{1,64}:)[^\s@:]+(?=[@:])/g, 'register[ \\t]{0,8}='),
  line(/((?:^|[\n\r])\d{2,8}[ \t]{0,8}=>[ \t]{0,8})\d{3,10}(?=,)/g, '\\d[ \\t]{0,8}=>'),
  // Commands and statements in which the password is known by its position
  line(
    /(\bwpa_passphrase[ \t]{1,4}(?:"[^"\n]{1,64}"|'[^'\n]{1,64}'|[^\s"'|;&]{1,64})[ \t]{1,4}["']?)[^\s"'|;&<>]{8,}/g,
    'wpa_passphrase[ \\t]',
  ),
  line(/(\bchpasswd[^\n|;&]{0,40}<<<[ \t]{0,4}["']?[\w.-]{1,64}:)[^\s"']+/g, 'chpasswd[^\\n]{0,40}<<<'),
  line(/(\b(?:with|encrypted|set|add)[ \t]{1,8}password[ \t]{1,8}['"])[^'"\n]+/gi, 'password[ \\t]{1,8}[\'"]'),
  line(
    /(\bnet[ \t]{1,4}use[ \t]{1,4}(?:[A-Za-z*]:?[ \t]{1,4})?\\{2,4}[\w.$\\-]{1,80}[ \t]{1,4})[^\s/*][^\s"']*(?=[ \t]{1,4}\/user:)/gi,
    '\\bnet[ \\t]{1,4}use[ \\t]',
  ),
  // Databases, shares, mail, backups
  line(
    new RegExp(
      `(${lineStart}[A-Za-z*][\\w.*-]{0,128}:\\d{4,5}:[A-Za-z*][\\w*-]{0,64}:[A-Za-z*][\\w.*@-]{0,64}:)(?=[^\\s:]{0,64}[\\d!@#$%^&*])[^\\s:]{4,}${lineEnd}`,
      'g',
    ),
    ':\\d{4,5}:[a-z*]',
  ),
  line(/((?<![\w-])user(?:name)?=[^\s,%"']{1,64}%)[^\s,"']+/g, 'user(?:name)?=[^\\s,]{1,16}%'),
  line(/((?:^|[\n\r])user[ \t]{1,4}[\w.@-]{1,64}[ \t](?:[\w~+@*&%-]{1,64}[ \t]){0,8}>)\S+/g, '[ \\t]>\\S'),
  line(
    /((?:passcommand|password[_-]?command|passwordeval|password_?cmd)["']?[=: \t]{1,4}["']?(?:echo|printf)[ \t]{1,4})[^\n\r"']+/gi,
    '(?:passcommand|password[_-]?command|passwordeval|password_?cmd)',
  ),
  {
    find: /(BORG_KEY [\da-f]{4,64}\r?\n)[A-Za-z\d+/=\s]+/g,
    put: kept,
    hint: 'BORG_KEY ',
    open: /(?<lead>BORG_KEY [\da-f]{0,64})[A-Za-z\d+/=\s]*$/,
    ends: /(?=[^A-Za-z\d+/=\s])/,
  },
  line(/((?:^|[\n\r])[^\s:/]{1,64}:[^\n\r:/]{1,64}:)[\da-f]{32}(?![^\n\r])/g, ':[\\da-f]{16}'),
  line(
    new RegExp(
      `(${lineStart}(?:remote|bridge|local|db|root|bind|mqtt|smtp|relay|auth|wifi|admin)_(?:password|passwd|psk|pass)[ \\t]{1,8})["']?[^\\s:="']{4,}${lineEnd}`,
      'gi',
    ),
    '_(?:password|passwd|psk|pass)[ \\t]',
  ),
  line(new RegExp(`(${lineStart}dbpasswd[ \\t]{1,8})[^\\s:=]{4,}${lineEnd}`, 'gi'), 'dbpasswd[ \\t]'),
  line(
    new RegExp(`(${lineStart}password[ \\t]{1,8})[a-z]{4}(?: [a-z]{4}){3}${lineEnd}`, 'g'),
    'password[ \\t]{1,8}[a-z]{4} ',
  ),
  {
    find: new RegExp(
      `((?<![\\w-])(?:user(?:name)?|login)[ \\t]{1,8}[^\\s:=]{1,80}[ \\t]{0,8}\\r?\\n[ \\t]{0,20}password[ \\t]{1,8})[^\\s:=]{4,}${lineEnd}`,
      'gi',
    ),
    put: kept,
    hint: '\\n[ \\t]{0,20}password[ \\t]',
    open: /(?<lead>\n[ \t]{0,20}password[ \t]{1,8})\S+[ \t]*$/i,
  },
  {
    find: /(<auth-user-pass>\s{0,8}\S{1,80}[ \t]{0,8}\r?\n[ \t]{0,8})[^\s<]+/g,
    put: kept,
    hint: '<auth-user-pass>',
    open: /(?<lead><auth-user-pass>)[^<]*$/,
  },
  line(new RegExp(`(<[\\w:.-]{0,32}${secretName}[ \\t]{1,8}value=["'])[^"'<>\\n]+`, 'gi'), '[ \\t]value=["\']'),
]

export const homelabShapes: readonly Shape[] = [...anywhere, ...files]
