/** Words for what nobody types into a chat. */
const secrets = [
  ...['passwords?', 'passwd', 'pwd', 'pass ?phrases?', 'pass ?codes?', 'secret ?keys?', 'client ?secrets?'],
  ...['api ?keys?', 'access ?keys?', 'private ?keys?', 'ssh ?keys?', 'encryption ?keys?', 'recovery ?(?:keys?|codes?)'],
  ...['(?:access|api|auth|bearer|session|refresh|bot) ?tokens?', 'pin ?codes?', 'totp', 'one ?time ?codes?'],
  ...[
    '(?:2fa|mfa|otp) ?codes?',
    'kennw[oö]rter',
    'passw[oö]rter',
    'passwort',
    'kennwort',
    'mots? de passe',
    'contraseñas?',
  ],
]
/** Words that stand for a secret where they are the name of a field, and for other things in a sentence. */
const names = [...secrets, 'secrets?', 'tokens?', 'credentials?', 'pins?', 'otp', 'cvv', 'cvc']

const wordIn = (words: readonly string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'iu')
const inSentence = wordIn(secrets)
const inName = wordIn(names)

/** A text as its words: without what cannot be seen, and with `camelCase` and `snake_case` taken apart. */
const plain = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./\s]+/g, ' ')

/** The word of a question that asks for a secret; undefined where none does. */
export const secretAskedFor = (text: string): string | undefined => inSentence.exec(plain(text))?.[0]

/** The same of a field's name, title or format. */
export const secretNamed = (text: string): string | undefined => inName.exec(plain(text))?.[0]
