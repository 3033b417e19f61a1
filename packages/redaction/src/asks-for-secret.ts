/** Names of secrets that nobody should type into a chat. */
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
/** Words that name a secret if they are the name of a field. In a sentence they may mean other things. */
const names = [...secrets, 'secrets?', 'tokens?', 'credentials?', 'pins?', 'otp', 'cvv', 'cvc']

const wordIn = (words: readonly string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'iu')
const inSentence = wordIn(secrets)
const inName = wordIn(names)

/** Reduces a text to its words: removes invisible characters, and splits `camelCase` and `snake_case`. */
const plain = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./\s]+/g, ' ')

/** Returns the word in a question that asks for a secret; undefined: no word does. */
export const secretAskedFor = (text: string): string | undefined => inSentence.exec(plain(text))?.[0]

/** Returns the word in a field's name, title or format that names a secret; undefined: no word does. */
export const secretNamed = (text: string): string | undefined => inName.exec(plain(text))?.[0]
