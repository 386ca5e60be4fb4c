import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";

import { menu as limits } from "../../limits.ts";

import { useSession } from "../../api/account/session.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { classes } from "../../ui/classes.ts";
import { useAccountContext } from "./account-context.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { navigatedJustNow, rememberNavigation } from "../menu-memory.ts";

export function AccountButton() {
  const { username, avatar } = useAccountContext();
  const { account } = useSession();
  const [open, setOpen] = useState(navigatedJustNow);
  const [closing, setClosing] = useState(open);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();

  useEffect(() => {
    if (!closing) return;
    const timer = setTimeout(() => {
      setOpen(false);
      setClosing(false);
    }, limits.autoCloseDelay);
    return () => clearTimeout(timer);
  }, [closing]);

  function closeOnEscape(event: KeyboardEvent) {
    if (event.key !== "Escape" || !open) return;
    setOpen(false);
    button.current?.focus();
  }

  function closeOnLeave({ relatedTarget, currentTarget }: FocusEvent) {
    if (relatedTarget && !currentTarget.contains(relatedTarget)) setOpen(false);
  }

  const name = account ? `${account.first_name} ${account.last_name}` : "";
  return (
    <div className="relative shrink-0" onKeyDown={closeOnEscape} onBlur={closeOnLeave} role="presentation">
      {open ? (
        <div
          data-testid="account-menu-overlay"
          role="presentation"
          className="fixed inset-0 z-10"
          onClick={() => setOpen(false)}
        />
      ) : null}
      <button
        ref={button}
        type="button"
        aria-label="Account menu"
        aria-expanded={open}
        aria-controls={open ? menuId : undefined}
        data-testid="account-avatar"
        onClick={() => setOpen(!open)}
        className={classes(
          "relative z-20 block rounded-full transition-[opacity,scale] duration-200",
          username ? null : "scale-75 opacity-40",
        )}
      >
        <Avatar name={name} src={avatar} size="md" />
      </button>
      {open ? (
        <AccountMenu
          id={menuId}
          user={
            account && {
              firstName: account.first_name,
              lastName: account.last_name,
              email: account.email,
              credits: account.credits,
            }
          }
          onNavigate={() => {
            rememberNavigation();
            setClosing(true);
          }}
        />
      ) : null}
    </div>
  );
}
