# What the words of a remediation mean to an administrator. Read by bash before what a text tells to do.
export DEBIAN_FRONTEND=noninteractive

install_packages() { apt-get install -qq -y --no-install-recommends "$@" >/dev/null 2>&1; }
remove_packages() { apt-get remove -qq -y "$@" >/dev/null 2>&1; }

# set_line FILE SEPARATOR KEY VALUE: makes it the only line of KEY.
set_line() {
  mkdir -p "$(dirname "$1")" && touch "$1"
  sed -Ei "/^\s*#?\s*$(sed 's/[.*]/\\&/g' <<<"$3")\s*($|[ =:\t])/d" "$1"
  printf '%s%s%s\n' "$3" "${4:+$2}" "$4" >>"$1"
}

# set_in SECTION FILE KEY VALUE: the same in a file with sections.
set_in() {
  mkdir -p "$(dirname "$2")" && touch "$2"
  sed -Ei "/^\s*#?\s*$3\s*=/d" "$2"
  grep -qxF "[$1]" "$2" || printf '[%s]\n' "$1" >>"$2"
  sed -i "\\|^\[$1\]$|a $3=$4" "$2"
}

# set_sysctl NAME VALUE: the parameters whose names end with it, of all interfaces. Those of the kernel are read-only in a container.
set_sysctl() {
  local name pattern=${1//./\\.}
  for name in $(sysctl -aN 2>/dev/null | grep -E "(^|\.)${pattern//\*/.+}$"); do
    set_line /etc/sysctl.d/60-remediation.conf ' = ' "$name" "$2"
  done
  sysctl -qp /etc/sysctl.d/60-remediation.conf 2>/dev/null || true
}

# in_fstab MOUNT_POINT OPTIONS: adds options to its line, which is made if there is none, and remounts it.
in_fstab() {
  local now
  now=$(findmnt -no OPTIONS -M "$1" | sed 's/,size=[^,]*//; s/,nr_inodes=[^,]*//')
  grep -qE "^\S+ $1 " /etc/fstab || echo "tmpfs $1 tmpfs $now 0 0" >>/etc/fstab
  sed -Ei "s|^(\S+ $1 \S+ )(\S+)|\1\2,$2|" /etc/fstab
  mount -o "remount,$2" "$1"
}

# new_file_system MOUNT_POINT OPTIONS: puts a tmpfs with the files that are there in its place, and in fstab.
new_file_system() {
  mkdir -p "$1"
  local options=$2,mode=$(stat -c %a "$1")
  echo "tmpfs $1 tmpfs $options 0 0" >>/etc/fstab
  mount -t tmpfs -o "$options" tmpfs /mnt
  cp -a "$1/." /mnt
  mount --bind /mnt "$1"
  umount /mnt
}

# each_account COMMAND...: runs it for each account with a password.
each_account() { awk -F: '$2 ~ /^[$]/ { print $1 }' /etc/shadow | xargs -r -n 1 "$@"; }

# pam_profile NAME PRIORITY KIND LINE [KIND LINE]: writes a profile of pam-auth-update.
pam_profile() {
  printf 'Name: %s\nDefault: yes\nPriority: %s\n' "$1" "$2" >"/usr/share/pam-configs/$1"
  set -- "$1" "${@:3}"
  while (($# > 2)); do
    printf '%s-Type: Primary\n%s:\n\t%s\n' "$2" "$2" "$3" >>"/usr/share/pam-configs/$1"
    set -- "$1" "${@:4}"
  done
}

# sudoers_line NAME LINE
sudoers_line() {
  echo "$2" >"/etc/sudoers.d/$1" && chmod 0440 "/etc/sudoers.d/$1" && visudo -qc
}

# audit_rules NAME RULE...: a file of rules. No container loads them.
audit_rules() {
  printf '%s\n' "${@:2}" >"/etc/audit/rules.d/$1.rules" && chmod 0640 "/etc/audit/rules.d/$1.rules"
  augenrules >/dev/null
}

# supported KEYWORD LIST: the algorithms of a list that this OpenSSH has.
supported() {
  ssh -Q "$1" | grep -xF "$(tr , '\n' <<<"$2")" | paste -sd,
}

home_of() { getent passwd "$1" | cut -d: -f6; }

# set_dconf SECTION KEY VALUE, lock_dconf SECTION KEY: in the database local, and so that users cannot change it.
set_dconf() {
  mkdir -p /etc/dconf/profile /etc/dconf/db/local.d/locks
  printf 'user-db:user\nsystem-db:local\n' | tee /etc/dconf/profile/gdm >/etc/dconf/profile/user
  case $3 in *[!0-9]*) set_in "$1" "/etc/dconf/db/local.d/00-${1//\//-}" "$2" "$3" ;; *) set_in "$1" "/etc/dconf/db/local.d/00-${1//\//-}" "$2" "uint32 $3" ;; esac
}
lock_dconf() {
  mkdir -p /etc/dconf/db/local.d/locks
  echo "/$1/$2" >>/etc/dconf/db/local.d/locks/00-remediation
}

# later COMMAND...: once, when everything that the texts tell has been done.
later() { echo "$*" >>/run/later; }
do_later() {
  [ ! -e /run/later ] || { tac /run/later | awk '!seen[$0]++' | tac >/run/now && rm /run/later && bash -e /run/now; }
}

nginx_files() { find /etc/nginx/nginx.conf /etc/nginx/sites-enabled/* /srv/nginx -name '*.conf' -o -name default; }

# set_nginx KEY VALUE: in the http block, and in each block with its own line; without a value there is no such line.
set_nginx() {
  sed -Ei "/^\s*$1\s[^;]*;/d" /etc/nginx/nginx.conf
  sed -Ei --follow-symlinks "s~(^|[;{])(\s*)$1\s[^;]*;~\1\2${2:+$1 $2;}~" $(nginx_files)
  [ -z "$2" ] || sed -Ei "0,/^\s*http\s*\{/s~~&\n$1 $2;~" /etc/nginx/nginx.conf
}

# add_nginx_header NAME VALUE: in the http block, and before the first of the headers of each other block.
add_nginx_header() {
  local file
  for file in $(nginx_files); do
    sed -Ei --follow-symlinks "/add_header $1 /d" "$file"
    [ "$file" != /etc/nginx/nginx.conf ] || continue
    awk -v new="add_header $1 $2;" '/add_header/ && !own { print new; own = 1 } !/add_header/ { own = 0 } { print }' "$file" >/tmp/nginx
    cat /tmp/nginx >"$file"
  done
  sed -Ei "0,/^\s*http\s*\{/s~~&\nadd_header $1 $2;~" /etc/nginx/nginx.conf
}

postgresql_main() { echo /etc/postgresql/*/main; }
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }

# docker_config STATEMENT: of JavaScript, which changes the object daemon.
docker_config() {
  node -e "const file = '/etc/docker/daemon.json', fs = require('fs'), daemon = JSON.parse(fs.readFileSync(file)); $1; fs.writeFileSync(file, JSON.stringify(daemon))"
}
