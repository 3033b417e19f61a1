/** The reason why a sandbox did not start, with the remedy. */
export type Refusal = { because: string; remedy: string }

/** Messages of the kernel, of bubblewrap and of containers, each with its remedy. The first match counts. */
const known: readonly { says: RegExp; refusal: Refusal }[] = [
  {
    says: /ENOENT|env: [^\n]{0,99}bwrap[^\n]{0,99}No such file or directory|bwrap[^\n]{0,99}not found/i,
    refusal: { because: 'bubblewrap is not installed', remedy: 'Install it: apt install bubblewrap.' },
  },
  {
    says: /execvp \/usr\/bin\/prlimit/,
    refusal: { because: 'prlimit is missing', remedy: 'Install it: apt install util-linux.' },
  },
  {
    says: /setting up uid map: Permission denied|Failed RTM_NEWADDR/,
    refusal: {
      because: 'AppArmor refuses user namespaces, as Ubuntu 24.04 and newer do',
      remedy:
        'Let AppArmor allow it: write "abi <abi/4.0>, include <tunables/global> profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }" to /etc/apparmor.d/bwrap, then run: systemctl reload apparmor.',
    },
  },
  {
    says: /No permissions to create (?:a )?new namespace/,
    refusal: {
      because: 'this container refuses new namespaces, as Docker’s default profile does',
      remedy:
        'Run JARVIS in a VM, or give its container a seccomp profile that allows unshare, mount, setns and clone. Do not use seccomp=unconfined.',
    },
  },
  {
    says: /Can't mount proc on/,
    refusal: {
      because: 'this container masks parts of /proc, so a new /proc is refused',
      remedy: 'Run JARVIS in a VM, or start its container with: --security-opt systempaths=unconfined.',
    },
  },
  {
    says: /pivot_root: (?:Permission denied|Operation not permitted)/,
    refusal: {
      because: 'this LXC container may not nest',
      remedy: 'On the Proxmox node, run: pct set ID -features nesting=1. Then restart the container.',
    },
  },
  {
    says: /Creating new namespace failed|Operation not permitted|EPERM/,
    refusal: {
      because: 'the kernel or the container refuses new namespaces',
      remedy:
        'Run JARVIS as an ordinary user on Debian, or in a VM. Where sysctl kernel.unprivileged_userns_clone is 0, set it to 1.',
    },
  },
  {
    says: /Unknown option/,
    refusal: { because: 'this bubblewrap is too old', remedy: 'Install bubblewrap 0.8 or newer.' },
  },
]

/** The refusal that explains a failed start. @param said the program's stderr, or the message of the failed start */
export function refusalOf(said: string): Refusal {
  const found = known.find(({ says }) => says.test(said))
  if (found !== undefined) return found.refusal
  return { because: 'the sandbox did not start', remedy: 'See what bubblewrap says, then ask JARVIS’s doctor again.' }
}
