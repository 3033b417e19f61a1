/** Words for what nobody types into a chat. Each stands as a word of its own, also within `camelCase` and `snake_case` names. */
const secrets = [
  ...['passwords?', 'passwd', 'pwd', 'passphrases?', 'pass ?phrase', 'pass ?codes?', 'secrets?', 'secret ?keys?'],
  ...['api ?keys?', 'access ?keys?', 'private ?keys?', 'ssh ?keys?', 'encryption ?keys?', 'recovery ?(?:keys?|codes?)'],
  ...['(?:access|api|auth|bearer|session|refresh|bot) ?tokens?', 'tokens?', 'credentials?', 'pins?', 'pin ?codes?'],
  ...['otp', 'totp', 'one ?time ?(?:codes?|passwords?)', '2fa ?codes?', 'mfa ?codes?', 'cvv', 'cvc', 'kennw[oö]rter?'],
  ...['passw[oö]rter?', 'passwort', 'kennwort', 'mots? de passe', 'contraseñas?'],
]
const secret = new RegExp(`(?<![\\p{L}\\p{N}])(?:${secrets.join('|')})(?![\\p{L}\\p{N}])`, 'iu')

/** The word in a question, a field's name or its format that asks for a secret; undefined where none does. */
export function secretAskedFor(text: string): string | undefined {
  const words = text
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./\s]+/g, ' ')
  return secret.exec(words)?.[0]
}
