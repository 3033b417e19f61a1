import type { Guest } from 'protocol'
import { shareOf } from 'protocol/facts'
import { memo } from 'react'
import { gibOf, percent, rate, share, shortSpan, span } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import type { MarkKind } from '../../ui/mark.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Tier } from '../../ui/tier.tsx'
import { backupTone, limitsNow } from './health.ts'
import { Lock } from './parts.tsx'
import { nodePath } from './paths.ts'
import { StateMark } from './state-mark.tsx'

type GuestRowProps = {
  at: number
  guest: Guest
  mark: MarkKind
  isBusy: boolean
  ghost: string | undefined
  isChosen: boolean
  to: string
  now: number
}

export const GuestTableRow = memo(function GuestTableRow(given: GuestRowProps) {
  const { at, guest, mark, isBusy, ghost, isChosen, to, now } = given
  const isOff = guest.status !== 'running'
  const word = guest.isTemplate ? 'template' : guest.status
  const ram = shareOf(guest.ramBytes, guest.ramTotalBytes)
  const disk = shareOf(guest.diskBytes, guest.diskTotalBytes)
  const net = rate((guest.netInBps ?? 0) + (guest.netOutBps ?? 0))
  const backup = backupTone(guest, now)
  const cpuTone = isBusy && (guest.cpuRatio ?? 0) >= limitsNow().cpuRatio ? 'warn' : undefined
  return (
    <tr
      className={`guest-row ${isOff ? 'off' : ''} ${ghost === undefined && !isChosen ? '' : 'hit'}`}
      aria-rowindex={at + 2}
    >
      <td>
        <span className="who">
          <StateMark kind={mark} />
          <span className="num id">{guest.vmid}</span>
          <Link className="cut" to={to} title={guest.name} aria-current={isChosen ? 'true' : undefined}>
            <bdi>
              <Visible text={guest.name} />
            </bdi>
          </Link>
          <small>{guest.type === 'vm' ? 'VM' : 'CT'}</small>
          {guest.tags.length > 0 && (
            <small className="cut tags" title={guest.tags.join(', ')}>
              <Visible text={guest.tags.join(' ')} />
            </small>
          )}
          {word !== 'running' && word !== 'stopped' && <small>{word}</small>}
          {guest.isProtected && <Lock />}
          {guest.lock !== undefined && <small>{guest.lock}</small>}
          {ghost !== undefined && (
            <span className="chip">
              <Tier tier="red" size={10} /> <span className="words">{ghost} waits</span>
            </span>
          )}
        </span>
      </td>
      <td className="cut text-soft" title={guest.node}>
        <Link to={nodePath(guest.node)}>{guest.node}</Link>
      </td>
      <td className="n">
        {!isOff && (
          <span className={`duo ${cpuTone === undefined ? '' : 'tone-warn'}`}>
            <Meter ratio={guest.cpuRatio ?? 0} tone={cpuTone} />
            <span>{share(guest.cpuRatio)}</span>
          </span>
        )}
      </td>
      <td className="n">
        {!isOff && (
          <span className="duo">
            <Meter ratio={ram ?? 0} />
            <span>{share(ram)}</span>
          </span>
        )}
      </td>
      <td className="n gib text-dim">
        {guest.status === 'unknown'
          ? gibOf(null, guest.ramTotalBytes)
          : gibOf(isOff ? 0 : guest.ramBytes, guest.ramTotalBytes)}
      </td>
      <td className="n">{isOff || disk === undefined || guest.diskBytes === 0 ? '' : percent(disk)}</td>
      <td className="n net">{isOff || guest.netInBps === undefined ? '' : `${net.value} ${net.unit}`}</td>
      <td className="n">{isOff ? '' : shortSpan((guest.uptimeS ?? 0) * 1_000)}</td>
      <td className={`n ${backup === undefined ? '' : `tone-${backup}`}`}>
        {guest.backupAt === null ? (
          <span className="text-dim">unknown</span>
        ) : guest.backupAt === undefined ? (
          <span className={backup === undefined ? 'text-dim' : ''}>none</span>
        ) : (
          span(now - guest.backupAt)
        )}
      </td>
    </tr>
  )
})
