import type { Passkey } from 'protocol'
import { isLongUnseen } from 'protocol/facts'
import { ago, exactTime } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { KeyMark } from '../../../ui/key-mark.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { useNow } from '../../../ui/use-now.ts'

type Props = { passkey: Passkey }

const isOld = ({ lastUsedAt, createdAt }: Passkey, now: number) => isLongUnseen(lastUsedAt ?? createdAt, now)

/** A key icon, or a warning if the passkey was not used for a long time. */
export function PasskeyMark({ passkey }: Props) {
  return isOld(passkey, useNow(60_000)) ? <Mark kind="warn" size={11} label="long unused:" /> : <KeyMark />
}

export function PasskeyName({ passkey: { name, isSynced } }: Props) {
  return (
    <span>
      <Visible text={name} />
      <small>{isSynced ? 'copied to other devices by its maker' : 'stays on one device'}</small>
    </span>
  )
}

/** When the passkey was last used, and when it was created. */
export function PasskeyUse({ passkey }: Props) {
  const now = useNow(60_000)
  const { createdAt, lastUsedAt } = passkey
  return (
    <span className="text-soft">
      {isOld(passkey, now)
        ? 'not used for 90 d'
        : lastUsedAt === undefined
          ? 'never used'
          : `used ${ago(lastUsedAt, now)}`}
      <small>made {exactTime(createdAt)}</small>
    </span>
  )
}
