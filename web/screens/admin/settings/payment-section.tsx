import { PaymentChoice, readPayment } from "../../../panels/installation/payment-choice.tsx";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

export function PaymentSection(props: SettingsPartProps) {
  return (
    <SettingsForm
      {...props}
      title="Payment"
      description="How running is paid for. A changed trial counts for new accounts."
      action="Save payment"
      read={readPayment}
    >
      <PaymentChoice settings={props.settings} />
    </SettingsForm>
  );
}
