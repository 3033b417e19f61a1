import { plural } from '../lib/format.ts'
import { Tier, type TierName, tierWord } from '../ui/tier.tsx'

const tiers: readonly TierName[] = ['green', 'yellow', 'red', 'black']

/** Counts steps by tier: `4 steps: ○ 3 Read, ◆ 1 Ask`. */
export function TierCounts({ steps }: { steps: readonly { tier: TierName | null }[] }) {
  const counted = tiers.flatMap((tier) => {
    const count = steps.filter((step) => step.tier === tier).length
    return count === 0 ? [] : [{ tier, count }]
  })
  return (
    <span className="tier-counts text-dim">
      {plural(steps.length, 'step')}
      {counted.map(({ tier, count }, at) => (
        <span key={tier}>
          {at === 0 ? ': ' : ', '}
          <Tier tier={tier} size={10} /> {count} {tierWord[tier]}
        </span>
      ))}
    </span>
  )
}
