import type { AccessToken } from "@miranda/contract/schemas/auth.ts";

import { useAccessTokenCalls } from "../../api/account/accounts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";

interface RevokeTokenDialogProps {
  token: AccessToken | null;
  onClose: () => void;
  onRevoked: () => void;
}

export function RevokeTokenDialog({ token, onClose, onRevoked }: RevokeTokenDialogProps) {
  const { revoke } = useAccessTokenCalls();
  const form = useForm(async () => {
    if (!token) return;
    await revoke(token.id);
    onRevoked();
  });
  const close = () => {
    form.clearError();
    onClose();
  };

  return (
    <Dialog
      open={token !== null}
      onOpenChange={close}
      title={`Revoke ${token?.name || "token"}`}
      description={
        token?.automatic
          ? "Before the next run you are asked for your password."
          : "Programs that use this token stop working at once. This action cannot be undone."
      }
    >
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <FormAlert message={form.error} takesFocus />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="danger" busy={form.busy}>
            Revoke
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
