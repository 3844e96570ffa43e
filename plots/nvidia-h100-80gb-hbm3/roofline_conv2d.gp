# A roofline with its data. Draw it again: gnuplot roofline_conv2d.gp
if (!exists("svg")) svg = "roofline_conv2d.svg"
if (!exists("png")) png = "roofline_conv2d.png"
set encoding utf8
$points << EOD
128.557 2.25605e+12
636.711 2.83536e+13
257.114 6.11439e+12
1273.42 4.87933e+14
98.1819 8.23667e+11
486.271 1.13661e+12
196.364 7.80603e+11
972.542 1.08376e+12
105.026 1.88155e+12
520.169 5.15533e+12
210.052 1.90179e+12
1040.34 5.1301e+12
112.347 6.40469e+11
556.43 7.69421e+12
224.695 1.02366e+12
1112.86 1.46397e+13
120.179 1.91793e+12
595.218 4.22475e+13
240.358 5.62698e+12
1190.44 2.44954e+14
EOD
$lines << EOD
10 8.14112e+13
119.543 9.73216e+14


10 3.02401e+13
321.829 9.73216e+14


10 3.13417e+13
310.518 9.73216e+14


119.543 9.73216e+14
5000 9.73216e+14


19.9239 1.62203e+14
5000 1.62203e+14


183.567 7.04232e+14
275.037 7.04232e+14


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [10:5000]
set yrange [2e+11:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of conv2d: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.14 TB/s' at 10.7772, 1.04079e+14 left rotate by 26.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.02 TB/s' at 11.5843, 2.85393e+13 left rotate by 26.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.13 TB/s' at 10.7772, 4.00685e+13 left rotate by 26.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 973 TFLOP/s' at 4709.29, 1.13469e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 / 6 162 TFLOP/s' at 4709.29, 1.89114e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::6-1::6-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::7-1::7-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::8-1::8-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::9-1::9-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::10-1::10-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::11-1::11-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::12-1::12-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::13-1::13-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::14-1::14-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::15-1::15-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::16-1::16-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::17-1::17-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::18-1::18-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::19-1::19-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::20-1::20-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.10 linewidth 1.6 title 'large'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
