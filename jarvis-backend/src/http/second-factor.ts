import { RecoveryCodesReply, SecondFactorBody, SecondFactorOffer } from 'protocol'
import type { People } from '../auth/people.ts'
import type { SecondFactors } from '../auth/second-factor.ts'
import { type Route, route } from './route.ts'

/**
 * `/api/second-factor`: codes of an app in addition to a person's password, and recovery codes. `GET /api/auth/me` says which factors the person
 * has.
 */
export function secondFactorRoutes(parts: { factors: SecondFactors; people: Pick<People, 'must'> }): Route[] {
  const { factors, people } = parts
  return [
    route('/second-factor').post(
      'Offers a seed for your authenticator app. It counts once its first code was given, within 15 minutes; until then what was before does.',
      { role: 'viewer', forMembers: true, password: true, reply: SecondFactorOffer },
      ({ identity: { person } }) => factors.offer(person.id, person.name),
    ),
    route('/second-factor/confirm').post(
      'Turns the offered [second factor](sign-in.md#the-second-factor) on, by a code of it. The recovery codes are shown this once.',
      { role: 'viewer', forMembers: true, password: true, body: SecondFactorBody, reply: RecoveryCodesReply },
      async ({ identity: { person }, body: { code } }) => ({
        recoveryCodes: await factors.confirm(person.id, code),
      }),
    ),
    route('/second-factor/recovery-codes').post(
      'Makes new recovery codes; the ones before count no more.',
      { role: 'viewer', forMembers: true, password: true, reply: RecoveryCodesReply },
      async ({ identity: { person } }) => ({ recoveryCodes: await factors.renewCodes(person.id) }),
    ),
    route('/second-factor').delete(
      'Turns your second factor off. Your password alone signs in then.',
      { role: 'viewer', forMembers: true, password: true },
      ({ identity: { person }, by }) => factors.remove(person.id, by),
    ),
    route('/people/:id/second-factor').delete(
      'Turns a person’s second factor off who has lost the device and the recovery codes.',
      { role: 'owner', password: true },
      ({ params: { id }, by }) => factors.remove(people.must(id).id, by),
    ),
  ]
}
