import { firstOwnerId } from 'protocol/facts'
import { signedIn } from '../../api/auth.ts'
import { useNames } from '../../api/names.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'

/** The person whose session it is, in a few words. Renders nothing for the reader's own. @param person undefined: the first owner */
export function Whose({ person = firstOwnerId }: { person: string | undefined }) {
  const own = useValue(signedIn)?.id
  return own === undefined || person === own ? null : <Other person={person} />
}

function Other({ person }: { person: string }) {
  const { isMany, nameOf } = useNames()
  return isMany ? (
    <small className="cut whose">
      <span className="vh">of </span>
      <Visible text={nameOf(person)} />
    </small>
  ) : null
}
