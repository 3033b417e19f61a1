const by = (does: string, names: string): [string, string][] => names.split(' ').map((name) => [name, does])

/** Programs often asked for, and what stands against them; only the sentence depends on this list. */
export const refusedPrograms: ReadonlyMap<string, string> = new Map([
  ...by('deletes files', 'rm rmdir unlink shred wipefs'),
  ...by('writes files', 'cp mv install ln mkdir touch truncate tee dd rsync scp sftp split csplit patch'),
  ...by('changes who may use files', 'chmod chown chgrp setfacl chattr'),
  ...by('can write files and run programs', 'sed tar rg git man vi vim nano emacs ed ex zip unzip cpio'),
  ...by(
    'runs programs',
    'awk gawk mawk xargs env nohup setsid timeout time nice ionice watch parallel script expect busybox',
  ),
  ...by(
    'runs whatever it is given',
    'sh bash dash zsh ksh fish eval exec source . python python3 perl ruby node php lua',
  ),
  ...by('acts as someone else', 'sudo su doas runuser chroot nsenter unshare pkexec systemd-run'),
  ...by('is a pager, and pagers run programs', 'less more most pg'),
  ...by('fetches from or sends to the network', 'curl wget nc ncat socat ssh telnet ftp tftp'),
  ...by('can write to a file', 'sort uniq tcpdump strace gdb'),
  ...by('stops processes', 'kill killall pkill'),
  ...by('stops the node', 'reboot shutdown poweroff halt init telinit'),
  ...by('changes accounts', 'passwd useradd userdel usermod groupadd groupdel chpasswd visudo'),
  ...by(
    'changes disks',
    'fdisk sfdisk gdisk parted mkfs mke2fs fsck hdparm sgdisk lvcreate lvremove vgremove pvremove zdb',
  ),
  ...by('shows variables, which hold secrets', 'printenv set export declare'),
  ...by('changes packages', 'apt-get aptitude pip npm snap'),
  ...by('changes the cluster', 'pveum pvenode vzdump qmrestore vzrestore pveupdate pveupgrade'),
  ...by('changes the kernel', 'modprobe insmod rmmod kexec'),
  ...by('never ends', 'yes'),
  ...by('can compare whole folders and so show secrets', 'diff'),
])
