import { createRelyingParty } from 'signing/relying-party'
import { expect, test } from 'vitest'
import { createAuthenticator } from '../../test/support/fake-authenticator.ts'
import { SqlitePasskeyStore } from '../store/sqlite/access/passkeys.ts'
import { openDatabase } from '../store/sqlite/database.ts'
import { Passkeys } from './passkeys.ts'

const origin = 'http://localhost:4000'

test('a passkey that is removed while it is checked proves nobody', async () => {
  const database = openDatabase(':memory:')
  const passkeys = new Passkeys({
    store: new SqlitePasskeyStore(database),
    place: createRelyingParty(undefined),
    durably: database.durably,
    now: () => 1_000_000,
    record: () => {},
    endSignIns: () => {},
    hadPasskeys: () => false,
  })
  const key = createAuthenticator(origin)
  const offered = await passkeys.enrolOptions({ person: 'per_ann', label: 'ann', origin })
  await passkeys.enrol('per_ann', 'Key', key.create(offered))
  expect(await passkeys.prove(key.get(await passkeys.signInOptions(origin)))).toBe('per_ann')
  const proof = passkeys.prove(key.get(await passkeys.signInOptions(origin)))
  passkeys.remove('per_ann', key.id, { by: 'per_ann' })
  await expect(proof).rejects.toMatchObject({ code: 'invalid_credentials' })
})
