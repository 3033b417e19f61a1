export const restoreDrill = `---
name: Restore drill of the oldest proof
inputs:
  vmid: { type: guest, optional: true, about: the guest to drill }
max_age: 8 h
alerts: [restore-unproven]
---
Proves that a backup restores: of the guest that is given, or of the one whose proof is the oldest. The guest itself is not touched.

## 1. What is proven
tool: list_restore_proofs
as: proofs

## 2. Drill this guest
tool: drill_restore
when: $vmid != none
args: { vmid: $vmid }

## 3. Drill the oldest
tool: drill_restore
when: $vmid = none and $proofs.items.length > 0
args: { vmid: $proofs.items.last.vmid }
`
