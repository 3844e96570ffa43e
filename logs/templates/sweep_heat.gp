# Geometric mean of the ratio over two dimensions, with its data. Draw it again: gnuplot {{name}}.gp
if (!exists("svg")) svg = "{{name}}.svg"
if (!exists("png")) png = "{{name}}.png"
set encoding utf8
# log2 of {{x}}, log2 of {{y}}, geometric mean of the ratio, shapes
$cells << EOD
{{#cells}}
{{.}}
{{/cells}}
EOD
set title '{{op}}: time of the best baseline over the kernel''s; blue: the kernel is faster' noenhanced
set xlabel '{{x}} (powers of two)' noenhanced
set ylabel '{{y}} (powers of two)' noenhanced
set xrange [{{x0}}:{{x1}}]
set yrange [{{y0}}:{{y1}}]
set xtics nomirror out format "2^{%.0f}" 2
set ytics nomirror out format "2^{%.0f}" 2
set border 3 linecolor rgb "#404040"
set cbrange [-1:1]
set cbtics ("0.5x" -1, "0.71x" -0.5, "1x" 0, "1.41x" 0.5, "2x" 1)
set palette defined (-1 "#A3123F", -0.5 "#E8A27C", 0 "#F2F2F2", 0.5 "#8FBBDC", 1 "#0B3C6F")
unset key
set terminal svg size {{width}},{{height}} font "DejaVu Sans,11" background rgb "white"
set output svg
plot $cells using 1:2:(0.5):(0.5):(log($3)/log(2)) with boxxyerror fillstyle solid noborder palette, \
  $cells using 1:2:(sprintf("%.2f", $3)) with labels font ",8"
set terminal pngcairo size {{width}},{{height}} font "DejaVu Sans,11" background rgb "white"
set output png
replot
unset output
